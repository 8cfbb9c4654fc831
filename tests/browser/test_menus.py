"""Every layout of every book on the player's page: its bets, and what each pays."""

import re
from pathlib import Path

import pytest

from punto.library import book, book_ids
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.bets import pays
from tests.browser.tables import LAYOUTS, add_table, let_visitors_in
from tests.web.page_tree import read_page
from tests.web.serving import server


@pytest.mark.parametrize("name", book_ids())
def test_every_layout_shows_its_menu_and_what_it_pays(name: str, tmp_path: Path) -> None:
    rules = book(name)
    with server(str(tmp_path / "floor.db")) as running:
        ann = running.client(running.visitor("Ann"))
        for layout in rules.layouts.values():
            most = layout.most_boxes or LAYOUTS[name][1]
            table = add_table(running, name, f"Table {layout.id}", layout=layout.id, boxes=most)
            let_visitors_in(running, table.name)
            table.seat("Ann", 1)
            areas = {
                each.attributes["data-bet"]: each for each in read_page(ann, f"/tables/{table.name}").all(css="area")
            }
            assert sorted(areas) == sorted(layout.menu)
            for bet, area in areas.items():
                said = area.one(css="pays").words
                assert said == pays(rules.bets[bet], TRANSLATORS["en"])
                odds = [line.verdict.odds for line in rules.bets[bet].pays if line.verdict.odds is not None]
                assert odds
                assert {str(each.numerator) for each in odds} <= set(re.findall(r"[0-9]+", said))
