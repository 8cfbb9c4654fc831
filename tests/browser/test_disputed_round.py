"""A disputed round is found at the auditor's desk and its pack taken away, by clicks alone, for others to check."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.floor.audit_day import audited
from tests.web.serving import NAMES, PASSWORD, Server, server


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps copies of the heads."""
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, heads: Path) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("dispute") / "floor.db")
    audited(path)
    with server(path, heads_to=str(heads)) as served:
        served.token(Position.AUDITOR)
        served.until(lambda: any(heads.glob("*.heads")))
        yield served


@pytest.mark.nightly
def test_a_disputed_round_is_found_and_its_pack_exported_by_clicks(
    floor: Server, heads: Path, page: Page, tmp_path: Path
) -> None:
    page.goto(f"{floor.url}/enter?lang=en&staff=1")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.AUDITOR])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{floor.url}/audit")
    page.get_by_role("link", name="Rounds", exact=True).click()
    page.wait_for_url(f"{floor.url}/audit/rounds")
    page.get_by_label("Irregularity or correction").select_option(label="a corrected payment")
    page.locator("select[name=table]").select_option(label="felt")
    page.get_by_role("button", name="Find", exact=True).click()
    page.wait_for_url("**/audit/rounds?**kind=payment_corrected**")
    expect(page.get_by_role("heading", name="One round fits.")).to_be_visible()
    page.get_by_role("link", name="felt 1-1").click()
    page.wait_for_url(f"{floor.url}/tables/felt/rounds/1-1")
    expect(page.locator("#replay.stepping")).to_be_visible()
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Correct a payment").click()
    shown = page.locator(".round-step:visible")
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("ben, box 2, Player: 100 paid instead of 50 paid; 10 came back.")
    expect(shown).to_contain_text("seen on film")
    with page.expect_download() as download:
        page.get_by_role("link", name="Incident pack", exact=True).click()
    pack = tmp_path / download.value.suggested_filename
    download.value.save_as(pack)
    assert pack.name == "punto-felt-1-1.pack.json"
    page.get_by_role("link", name="Audit", exact=True).click()
    page.wait_for_url(f"{floor.url}/audit")
    page.get_by_role("link", name="Looks", exact=True).click()
    page.wait_for_url(f"{floor.url}/audit/looks")
    row = page.get_by_role("row").filter(has_text="a round as a file")
    expect(row).to_contain_text(NAMES[Position.AUDITOR])
    expect(row.get_by_role("link", name="1-1")).to_be_visible()
    assert "Sound." in verify(pack, heads, 0)
    forged = tmp_path / "forged.pack.json"
    forged.write_text(pack.read_text(encoding="utf-8").replace("15000", "10000"), encoding="utf-8")
    assert "Sound." not in verify(forged, heads, 1)


def verify(pack: Path, heads: Path, status: int) -> str:
    """What ``punto verify`` says about a pack, with nothing else of the floor but the heads."""
    command = [sys.executable, "-m", "punto", "verify", "--pack", str(pack), "--head", str(heads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout
