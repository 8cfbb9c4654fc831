"""A stop of gaming in words."""

from punto.floor.house.projections.stops import Stop, StopScope
from punto.web.words.translator import Translator


def stop_words(stop: Stop, t: Translator) -> str:
    match stop.scope:
        case StopScope.ALL:
            return t("stop.all")
        case StopScope.GAME:
            return t("stop.game", of=stop.of)
        case StopScope.PLAYER:
            return t("stop.player", of=stop.of)
        case StopScope.STAFF:
            return t("stop.staff", of=stop.of)


def stop_subject(stop: Stop, t: Translator) -> str:
    """What is or was stopped, without saying whether it still is."""
    match stop.scope:
        case StopScope.ALL:
            return t("stop_subject.all")
        case StopScope.GAME:
            return t("stop_subject.game", of=stop.of)
        case StopScope.PLAYER:
            return t("stop_subject.player", of=stop.of)
        case StopScope.STAFF:
            return t("stop_subject.staff", of=stop.of)
