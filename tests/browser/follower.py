"""Somebody who has never read the book and does only what the guide's screen says. Every key, tap and field counts.

They know what happened, as answers by the words of the questions, and who holds which position. They know no command.
"""

import re
from collections.abc import Mapping

from playwright.sync_api import Locator, Page, expect

from tests.browser.console import PIN, rested
from tests.waiting import wait_until
from tests.web.serving import NAMES

STOP, SAY_WHAT, ASK_PLAYERS = "Stop. Hands off", "Say what happened", "Ask each player"
RULE_ORDER, ANOTHER_SHOE, DONE = "Rule which card", "Another shoe is needed", "Done"
CLAIM, NOBODY_MEANT = "Stop: insurance", "Nobody (else) had meant to insure"
WAS_AWAY = "Punto was away"
MAX_INPUTS = 12
_ENDLESS = 50

_AS_SERVED = """async () => {
  const words = (page) => page.getElementById("now").textContent
    + [...page.querySelectorAll("[data-fact]")].map((each) => each.id + ("missing" in each.dataset));
  const answer = await fetch(location.href);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  return words(fresh) === words(document);
}"""
"""Whether the screen shows what the server draws for its address."""
_WHERE = """() => {
  const form = document.querySelector("#dialog[open] form");
  const words = [...(form?.querySelectorAll("h2, .wrong") ?? [])].map((each) => each.textContent);
  const asks = form?.dataset.proposal ?? words;
  const made = document.querySelectorAll("[data-made], [data-drawn]").length;
  return [location.pathname, document.getElementById("now-words")?.textContent, asks, made].join();
}"""
"""What tells one step from the next: the page, what NOW says, the dialog, how many have chosen or cards are named.

A dialog previews what would change while it is filled in: that is no step.
"""


class Follower:
    def __init__(self, page: Page, see: str, knows: Mapping[str, str], wants: Mapping[str, str]) -> None:
        self.page = page
        self.see, self.knows, self.wants = see, dict(knows), wants
        self.inputs = 0
        self.choices = 0
        """One a player, not counted among the inputs."""
        self.steps: list[str] = []
        """What NOW said, one after the other."""
        self.incidents: list[str] = []

    def follow(self, until: str = "", *, reloads: bool = False) -> None:
        """From where the screen is to the console, or until NOW begins with these words. May reload at every step."""
        while self.page.url.partition("?")[0].endswith("/guide"):
            assert self.inputs < _ENDLESS, self.steps
            if self.page.locator("#dialog").is_visible():
                self._fill_dialog()
                continue
            if reloads:
                self.page.reload()
            self._settled()
            now = self.page.locator("#now-words").inner_text()
            if self.steps[-1:] != [now]:
                self.steps.append(now)
            if until and now.startswith(until):
                return
            self._read(now)

    def _read(self, now: str) -> None:
        reads = {
            STOP: self._look,
            SAY_WHAT: self.tell,
            CLAIM: self._claim,
            ASK_PLAYERS: self._ask,
            RULE_ORDER: self._order,
            ANOTHER_SHOE: self._press_space,
            DONE: self._leave,
        }
        next(read for begins, read in reads.items() if now.startswith(begins))()

    def start(self, *, by_itself: bool = False) -> None:
        """Press the key of the guide, unless the round has stopped and the console leads there by itself."""
        if not by_itself:
            self.page.keyboard.press("!")
            self.inputs += 1
        self.page.wait_for_url("**/guide?**")
        expect(self.page.locator("#now-words")).to_be_visible()

    def press(self, key: str, *, counts: bool = True) -> None:
        """Press a key that the screen shows, and wait for what comes of it."""
        before = self._where()
        if key == "Space":
            rested(self.page)
        self.page.keyboard.press({"Esc": "Escape"}.get(key, key))
        self.inputs += counts
        self._moved(before)

    def _where(self) -> str:
        return str(self.page.evaluate(_WHERE))

    def _moved(self, before: str) -> None:
        self.page.wait_for_function(f"before => ({_WHERE})() !== before", arg=before)

    def _settled(self) -> None:
        wait_until(lambda: self.page.evaluate(_AS_SERVED), "the screen as the server draws it")

    # ---- steps

    def _look(self) -> None:
        """Find what one sees among the tiles, unless the server was away and the table asks about that first."""
        if self.page.locator("#go").filter(has_text=WAS_AWAY).count():
            return self._press_space()
        tile = self.page.locator(".tr-tile").filter(has=self.page.get_by_text(self.see, exact=True))
        return self.press(tile.locator("kbd").inner_text())

    def tell(self) -> None:
        """Answer what is asked and known, look at what would follow, and go on."""
        for fact in self.page.locator("fieldset[data-fact]").all():
            question = fact.locator("legend").inner_text()
            if question in self.knows:
                return self._answer(fact, self.knows.pop(question))
        assert self.page.locator("#missing").count() == 0, self.page.locator("#missing").inner_text()
        assert self.page.locator("#preview").inner_text().strip(), "nothing is decided before it was shown"
        return self._press_space()

    def _claim(self) -> None:
        """Say whose bet goes back, as far as one knows. Nobody else had meant to insure: the round is settled."""
        if self.knows or self.page.locator("#go").count():
            return self.tell()
        nobody = self.page.locator("#now [data-give]").filter(has_text=NOBODY_MEANT)
        return self.press(nobody.locator("kbd").inner_text())

    def _answer(self, fact: Locator, words: str) -> None:
        name, kind = fact.get_attribute("data-fact"), fact.get_attribute("data-kind")
        before = self._where()
        if kind in ("choice", "bets", "reason"):
            picked = fact.locator(".tr-pick").filter(has=self.page.get_by_text(words, exact=True))
            leads = picked.evaluate("each => each.matches('a, [data-form]')")
            picked.click()
            self.inputs += 1
            if leads:
                return self._moved(before)
        elif kind in ("card", "cards"):
            for rank in words:
                self._tap(fact.locator(f"[data-rank='{rank}']"))
        elif kind in ("sides", "places", "place"):
            for card in words.split("; "):
                self._tap(fact.locator("label").filter(has_text=card))
        else:
            fact.locator("input").last.fill(words)
            self.inputs += 1
            self.page.wait_for_function("name => new URLSearchParams(location.search).has(name)", arg=name)
        return self._settled()

    def _tap(self, what: Locator) -> None:
        """Tap something, and wait until it is where it belongs: cards move to the other hand."""
        what.click()
        self.inputs += 1
        self._settled()

    def _ask(self) -> None:
        """Ask the player whose turn it is. Those who say nothing play on once the others have chosen."""
        waiting = self.page.locator(".chooser:not(.chosen)")
        names = waiting.locator(".whose > b").all_inner_texts()
        speaks = next((at for at, name in enumerate(names) if name in self.wants), None)
        if speaks is None:
            return self._press_space()
        chooser = waiting.nth(speaks)
        if (row := chooser.locator("a.no")).count():
            row.click()
            self.inputs += 1
            return expect(row).to_have_count(0)
        self.choices += 1
        button = chooser.locator("button").filter(has_text=self.wants[names[speaks]])
        return self.press(button.locator("kbd").inner_text(), counts=False)

    def _order(self) -> None:
        """Tap the cards in the order known, or choose an order that gives the result known; then rule it."""
        if self.page.locator("#go").count():
            return self._press_space()
        known = self.knows.pop("order")
        for key in known if known.isdecimal() else self._order_that_gives(known):
            self.press(key)
        return expect(self.page.locator("#go")).to_be_visible()

    def _order_that_gives(self, result: str) -> str:
        """The key of the first order with this result, which the page says only of an order that is chosen."""
        links = self.page.locator("#orders a").all()
        drawn = (self.page.context.request.get(link.evaluate("link => link.href")).text() for link in links)
        return next(link.locator("kbd").inner_text() for link, page in zip(links, drawn, strict=True) if result in page)

    def _press_space(self) -> None:
        expect(self.page.locator("#go")).to_be_visible()
        self.press("Space")

    def _leave(self) -> None:
        self.incidents = self.page.locator("[data-incident]").all_inner_texts()
        self._press_space()
        self.page.wait_for_url("**/deal")

    # ---- dialogs

    def _fill_dialog(self) -> None:
        dialog = self.page.locator("#dialog")
        before = self._where()
        if dialog.locator(".sign").count():
            self._sign(dialog)
        else:
            for field in dialog.locator("[data-field]").all():
                self._fill(field)
            self.page.keyboard.press("Enter")
            self.inputs += 1
        self._moved(before)

    def _sign(self, dialog: Locator) -> None:
        """The first position that may approve signs with name and PIN."""
        who = dialog.locator(".who-may").inner_text().lower()
        named = {position: who.find(position.replace("_", " ")) for position in NAMES}
        position = min((each for each in named if named[each] >= 0), key=lambda each: (named[each], -len(each)))
        name = dialog.locator("[name=name]")
        if name.input_value() != NAMES[position]:  # whoever approved here before is named already
            name.fill(NAMES[position])
            self.inputs += 1
        dialog.locator("[name=pin]").fill(PIN)
        self.page.keyboard.press("Enter")
        self.inputs += 2

    def _fill(self, field: Locator) -> None:
        label = re.sub(r"\s+", " ", field.locator("legend, span").first.inner_text())
        if label not in self.knows:
            return
        words = self.knows.pop(label)
        if field.get_attribute("data-kind") == "choice":
            field.locator(".pick").filter(has_text=words).click()
        else:
            field.locator("input").first.fill(words)
        self.inputs += 1
