"""Checks a page at two widths with axe and for overflow, and takes screenshots for people."""

from playwright.sync_api import Page

from tests.browser.conftest import DESK, PHONE, Axe, Screenshot


def look_at(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    """No serious problem and no horizontal scrolling, on a phone and on a desktop; a screenshot of each."""
    page.wait_for_load_state()
    for (width, height), suffix in ((PHONE, "-phone"), (DESK, "")):
        page.set_viewport_size({"width": width, "height": height})
        assert sticks_out(page) == [], name
        assert axe(page) == [], name
        screenshot(page, f"page-{name}{suffix}")


def sticks_out(page: Page) -> list[str]:
    """The elements that make a page wider than its window."""
    found: list[str] = page.evaluate("""() => {
      const root = document.documentElement;
      if (root.scrollWidth <= root.clientWidth) return [];
      const wide = [...document.querySelectorAll("body *")].filter(
        (node) => node.getBoundingClientRect().right > root.clientWidth + 0.5);
      return [`${root.scrollWidth} in ${root.clientWidth}`, ...wide.map((node) => node.outerHTML.slice(0, 80))];
    }""")
    return found
