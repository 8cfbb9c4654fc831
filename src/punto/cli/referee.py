"""``punto referee``: what the book says about a round that somebody describes."""

import sys
from typing import BinaryIO, cast

import click

from punto.catalogue.sentence import LANGUAGES, Language
from punto.catalogue.values import write_money
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import book
from punto.table.referee.question import read_question
from punto.web.messages.referee import RefereeEnd, RefereeOutcome, RefereeRuling, RefereeStep
from punto.web.words.ruling import rule_on
from punto.web.words.translator import TRANSLATORS, Translator


@click.command("referee")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--language", type=click.Choice(tuple(LANGUAGES)), default="en", help="Of the words.")
@json_option
def command(file: BinaryIO, language: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Say what the book says about a round, and what everybody ends with.

    FILE has the question as JSON; without FILE it is read from standard input. A question is:

    \b
    {"book": "commission-insurance",
     "bets": [{"box": 1, "bet": "banker", "stake": "100"}],
     "happened": ["9 2 K 3", {"command": "report_wrong_side.1",
                  "as_dealt": ["banker", "player", "banker", "player"]}]}

    The exit status is 1 if the book refuses a step, and 2 if it is no question.
    """
    with refusing(as_json=as_json):
        question = read_question(file.read())
        rules, t = book(question.book), TRANSLATORS[cast("Language", language)]
        ruling = rule_on(rules, question, t)
        if as_json:
            print_json(ruling)
        else:
            click.secho(rules.title_in(t.language), bold=True)
            _print(ruling, t)
    sys.exit(0 if ruling.refused is None else 1)


def _print(ruling: RefereeRuling, t: Translator) -> None:
    for step in ruling.steps:
        _print_step(step, t)
    if ruling.refused is not None:
        click.secho(f"\n{t('referee.refused')}", bold=True)
        click.echo(f"  {ruling.refused.message}{_cited(ruling.refused.clauses)}")
        return
    click.secho(f"\n{t('referee.ends')}", bold=True)
    for outcome in ruling.outcomes:
        click.echo(f"  {outcome.words}")
        _print_ends(outcome, t)
        for line in outcome.notes:
            click.echo(f"  {line}")
    click.echo(f"\n{t('referee.then', then=ruling.then)}")


def _print_step(step: RefereeStep, t: Translator) -> None:
    click.secho(f"\n{step.title}{_cited(step.clauses)}", bold=True)
    words = step.words
    about = (words.established, words.as_dealt, words.should_be) if words else ()
    for line in (*step.follows, *filter(None, about)):
        click.echo(f"  {line}")
    if words is not None and words.who_may:
        click.echo(f"  {t('referee.who_may', who=words.who_may)}")
    if words is not None and words.say:
        click.echo(f"  {t('referee.say', words=words.say)}")


def _print_ends(outcome: RefereeOutcome, t: Translator) -> None:
    choosing = any(end.back_minor is not None for end in outcome.ends)
    head = ["", t("referee.plays_on"), t("referee.takes_back")] if choosing else None
    rows = [[end.name, _change(end.change_minor, t), *_back(end, choosing=choosing)] for end in outcome.ends]
    print_table(rows, head, indent="    ")


def _back(end: RefereeEnd, *, choosing: bool) -> list[str]:
    if not choosing:
        return []
    return ["" if end.back_minor is None else _signed(end.back_minor)]


def _change(minor: int | None, t: Translator) -> str:
    return t("referee.cards_decide") if minor is None else _signed(minor)


def _signed(minor: int) -> str:
    return f"{'+' if minor > 0 else ''}{write_money(minor)}"


def _cited(clauses: tuple[str, ...]) -> str:
    return f" ({', '.join(clauses)})" if clauses else ""
