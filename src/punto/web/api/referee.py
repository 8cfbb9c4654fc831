"""The referee: what a book says about a round that anybody describes. It needs no floor and no account."""

from punto.catalogue.sentence import Language
from punto.floor.turns import in_thread
from punto.library import book
from punto.table.referee.question import RefereeQuestion
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest
from punto.web.messages import RefereeRuling
from punto.web.words.ruling import rule_on
from punto.web.words.translator import TRANSLATORS


async def referee(call: HttpRequest) -> RefereeRuling:
    async with call.service.questions.turn():
        return await in_thread(_rule, call.body, call.language)


def _rule(question: RefereeQuestion, language: Language) -> RefereeRuling:
    return rule_on(book(question.book), question, TRANSLATORS[language])


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/referee",
        referee,
        "Ask what a book says about a round",
        RefereeRuling,
        RefereeQuestion,
        access=Access.OPEN,
        tag="books",
        cost=EXPENSIVE,
    ),
)
