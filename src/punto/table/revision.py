"""The revision of the engine, stored with every entry of the journal.

Raise it when ``decide`` gives other events for the same table and command, or refuses what it accepted: a corrected
rule, another reading, another clause cited, a new condition. A new command or a new field with a default is no new
revision. The audit decides again only what its own revision decided; what another revision decided it replays by its
events.
"""

REVISION = 5
FIRST_REVISION = 1
"""Of entries that name none: releases before 0.6.0 wrote them."""
