"""The names of cards, and the limits of a table as text."""

from punto.catalogue.values import Money
from punto.table.play.limits import limits_of
from punto.table.records.settings import BetLimits, Settings
from punto.web.pages.base.i18n import Translator


def card_name(code: str, t: Translator) -> str:
    """The name of a card, or of a rank that was entered without its suit."""
    rank, suit = code[0], code[1:]
    return t("card", rank=rank, suit=suit) if suit else t("card.rank", rank=rank)


def limit_lines(settings: Settings, t: Translator) -> list[tuple[str, str]]:
    """Label and text of each limit of a table."""
    lines = [
        (t("limits.main"), _range(limits_of(settings, "player"), t)),
        (t("limits.other"), _range(limits_of(settings, "tie"), t)),
    ]
    if settings.differential_minor is not None:
        lines.append((t("limits.differential"), t.write(Money(settings.differential_minor))))
    return lines


def _range(limits: BetLimits, t: Translator) -> str:
    least, most = limits.min_minor, limits.max_minor
    if least is not None and most is not None:
        return t("limits.range", least=Money(least), most=Money(most))
    if least is not None:
        return t("limits.from", least=Money(least))
    return t("limits.up_to", most=Money(most)) if most is not None else t("limits.any")
