"""``make demo`` without its pauses: the story goes through, and the journal it leaves is sound."""

import pytest
from playwright.sync_api import Page

from tests.demo import stage
from tests.demo.story import tell

PICTURES = 15


@pytest.mark.nightly
def test_the_story_goes_from_the_deal_to_a_sound_journal(page: Page, tmp_path_factory: pytest.TempPathFactory) -> None:
    pictures = tmp_path_factory.mktemp("pictures")
    at = stage.Stage(page, watched=False, pictures=pictures)
    assert "\nSound.\n" in tell(at, tmp_path_factory.mktemp("demo"))
    assert sorted(path.name for path in pictures.iterdir()) == [f"{step:02}.png" for step in range(1, PICTURES + 1)]


@pytest.mark.parametrize(("variable", "shown"), [("DISPLAY", True), ("WAYLAND_DISPLAY", True), ("TERM", False)])
def test_a_display_is_found(monkeypatch: pytest.MonkeyPatch, variable: str, *, shown: bool) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "x")
    assert stage.has_display() is shown
