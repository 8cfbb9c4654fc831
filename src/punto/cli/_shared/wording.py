"""Words that several commands print."""

from punto.rules.bets.insurance import Stage

STAGES = {Stage.FOUR: "on four cards", Stage.THIRD: "on Player's third card"}
FAVOURS = "favours the bettor"
