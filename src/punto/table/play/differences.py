"""What a dealer pays and collects after a correction, because a settlement was made again."""

from collections.abc import Iterable

from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.table.records.events import Difference, SettledBet
from punto.table.records.state import BetKey, Round

_Key = tuple[BetKey, Stage | None]


def differences(now: Round, results: Iterable[SettledBet]) -> tuple[Difference, ...]:
    """Compare new results with those of the settlement that was reversed; empty if none was.

    The earlier settlement took the chips of lost bets and left the others with their winnings. A bet that it did not
    know lay untouched. What was paid since for a bet that was returned stayed with the player.
    """
    if now.reversed_results is None:
        return ()
    after, staked = dict[_Key, int](), dict[_Key, int]()
    for result in results:
        _add(after, result, result.returned_minor)
        _add(staked, result, result.stake_minor)
    for bet_key, returned in now.insurance.returned_uninsured.items():
        after[bet_key, None] = staked[bet_key, None] = returned.placed.stake_minor
    for (bet_key, stage), back_minor in now.back_since_reversal.items():
        for amounts in (after, staked):
            amounts[bet_key, stage] = amounts.get((bet_key, stage), 0) + back_minor
    held, stake_known = dict[_Key, int](), dict[_Key, int]()
    for result in now.reversed_results:
        _add(held, result, result.returned_minor)
        _add(stake_known, result, result.stake_minor)
    taken = {_key(result) for result in now.reversed_results if result.result is Result.LOSE}
    for key, stake_minor in staked.items():
        if key not in taken:  # more or fewer chips lay there than the earlier settlement knew
            held[key] = held.get(key, 0) + stake_minor - stake_known.get(key, 0)
    for key in held.keys() - staked.keys() - taken:
        held[key] -= stake_known[key]  # no chips lay there at all
    found = ((key, after.get(key, 0) - held.get(key, 0)) for key in dict.fromkeys((*held, *after)))
    return tuple(Difference(*key, amount, stage) for (key, stage), amount in found if amount)


def _key(result: SettledBet) -> _Key:
    return (result.who, result.box, result.bet), result.stage


def _add(amounts: dict[_Key, int], result: SettledBet, amount_minor: int) -> None:
    key = _key(result)
    amounts[key] = amounts.get(key, 0) + amount_minor
