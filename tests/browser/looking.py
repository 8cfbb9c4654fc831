"""How a page is looked at: at both widths, by axe, for what sticks out, and by people from a picture of it."""

from playwright.sync_api import Page

from tests.browser.conftest import DESK, PHONE, Axe, Screenshot


def look_at(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    """Nothing grave, nothing to scroll sideways, at a phone's width and then at a desk's, with a picture of each."""
    for (width, height), suffix in ((PHONE, "-phone"), (DESK, "")):
        page.set_viewport_size({"width": width, "height": height})
        assert sticks_out(page) == [], name
        assert axe(page) == [], name
        screenshot(page, f"page-{name}{suffix}")


def sticks_out(page: Page) -> list[str]:
    """What makes a page wider than its window; nothing if it is not."""
    found: list[str] = page.evaluate("""() => {
      const root = document.documentElement;
      if (root.scrollWidth <= root.clientWidth) return [];
      const wide = [...document.querySelectorAll("body *")].filter(
        (node) => node.getBoundingClientRect().right > root.clientWidth + 0.5);
      return [`${root.scrollWidth} in ${root.clientWidth}`, ...wide.map((node) => node.outerHTML.slice(0, 80))];
    }""")
    return found
