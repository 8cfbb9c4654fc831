"""A floor under load is killed at random moments, for some seconds. ``make nightly`` does it for hours."""

import asyncio

import pytest

from tests.floor.crashes.campaign import Campaign
from tests.floor.servers import PostgresServer, new_database

pytestmark = pytest.mark.crash

KILLS = 4
WITHIN_LINES = 400
EARLY_LINES = 30


def test_a_floor_that_is_killed(database_url: str) -> None:
    with Campaign(database_url) as campaign:
        asyncio.run(campaign.set_up())
        for _ in range(KILLS):
            campaign.live_and_die(WITHIN_LINES)
            campaign.die_early(EARLY_LINES)
        campaign.come_to_rest()
        assert campaign.interrupted > KILLS
        assert campaign.asked_meanwhile > KILLS
        assert campaign.unrecovered > 0


def test_a_server_that_is_killed_under_a_floor(own_postgres: PostgresServer) -> None:
    """The floor keeps running, retries until it is answered, and is killed later."""

    def power_cut() -> None:
        own_postgres.kill()
        own_postgres.start()

    with Campaign(new_database(own_postgres.url)) as campaign:
        asyncio.run(campaign.set_up())
        campaign.live_and_die(WITHIN_LINES, power_cut)
        campaign.live_and_die(WITHIN_LINES)
        campaign.come_to_rest()
