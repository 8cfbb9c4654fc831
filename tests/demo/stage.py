"""The browser of the demonstration: a caption over the pages, pauses to read it, and a picture of each step."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import environ
from pathlib import Path

import click
from playwright.sync_api import Browser, Error, Page, Playwright, ViewportSize, sync_playwright

from tests.browser.chromium import KEPT, NAMED, find_chromium

SIZE: ViewportSize = {"width": 1366, "height": 820}
SLOWLY_MS = 220
"""Between two keys or taps, where somebody watches."""
LEAST_PAUSE_S, CHARACTERS_A_SECOND = 5.0, 8.5
"""To read a caption."""

_CAPTION = """([number, text]) => {
  let host = document.getElementById("demo-caption");
  if (!host) {
    host = document.createElement("div");
    host.id = "demo-caption";
    host.popover = "manual"; // above dialogs too
    host.setAttribute("aria-hidden", "true");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`:host { position: fixed; inset: auto auto 14px 14px; margin: 0; padding: 0; border: 0;
        overflow: visible; max-width: 62vw; background: none; pointer-events: none; }
      p { display: flex; gap: 16px; align-items: center; margin: 0; padding: 12px 22px 12px 13px; border-radius: 14px;
        color: #221a13; background: #ffe9b0; box-shadow: 0 0 0 2px #80622d, 0 12px 40px #000c;
        font: 600 18px/1.35 system-ui, sans-serif; }
      b { flex: none; display: grid; place-items: center; width: 38px; height: 38px; border-radius: 50%;
        color: #fff; background: #7f1524; }`);
    const root = host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = "<p><b></b><span></span></p>";
    document.body.append(host);
  } else host.hidePopover();
  host.shadowRoot.querySelector("b").textContent = number;
  host.shadowRoot.querySelector("span").textContent = text;
  host.showPopover();
}"""


class Stage:
    """A page, its captions, and where the pictures go."""

    def __init__(self, page: Page, *, watched: bool, pictures: Path | None) -> None:
        self.page, self.watched, self.pictures = page, watched, pictures
        self.steps = 0

    def show(self, text: str) -> None:
        """The next step: say what is going on, leave time to read it, and take a picture."""
        self.steps += 1
        self.page.evaluate(_CAPTION, [self.steps, text])
        if self.watched:
            click.echo(f"{self.steps:2}  {text}")
            self.page.wait_for_timeout(max(LEAST_PAUSE_S, len(text) / CHARACTERS_A_SECOND) * 1_000)
        if self.pictures is not None:
            self.page.screenshot(path=self.pictures / f"{self.steps:02}.png")


def has_display() -> bool:
    return sys.platform in ("darwin", "win32") or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


@contextmanager
def browser(*, visible: bool) -> Iterator[tuple[Browser, bool]]:
    """A Chromium, and whether one can watch it."""
    with sync_playwright() as playing:
        launched, watched = _launch(playing, visible=visible)
        try:
            yield launched, watched
        finally:
            launched.close()


def _launch(playing: Playwright, *, visible: bool) -> tuple[Browser, bool]:
    found = find_chromium()
    launch = partial(
        playing.chromium.launch,
        executable_path=found.program,
        env={**environ, **found.environment},
        chromium_sandbox=False,  # as for the tests
    )
    if visible and found.program.is_relative_to(KEPT):
        click.echo(f"The Chromium of the tests has no window. To watch, install Chromium or name one in {NAMED}.")
    elif visible:
        try:
            return launch(headless=False, slow_mo=SLOWLY_MS), True
        except Error:
            click.echo(f"{found.program} could not open a window.")
    return launch(), False
