"""The lanes of the tests: ``make quick``, ``make test`` and ``make nightly``.

A lane selects markers and a hypothesis profile. ``pyproject.toml`` explains each marker.
"""

from hypothesis import HealthCheck, settings

NOT_QUICK = ("browser", "crash", "sweep", "slow")
"""Markers that ``make quick`` leaves out."""
PROFILES = {"quick": 20, "test": 50, "nightly": 500}
"""Default number of examples of a property in each lane."""


def load_profiles() -> None:
    """Register a profile for each lane. None has a deadline, because a busy machine is not a failure."""
    slow_is_fine = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    for lane, count in PROFILES.items():
        settings.register_profile(lane, max_examples=count, deadline=None, suppress_health_check=slow_is_fine)
    settings.load_profile("test")


def examples(in_test: int) -> int:
    """The number of examples in this lane, given the number in ``make test``."""
    assert settings.default is not None
    return max(1, in_test * settings.default.max_examples // PROFILES["test"])


def same_each_time() -> bool:
    """Whether this lane judges a commit by the same examples each time. ``make nightly`` tries others every night."""
    assert settings.default is not None
    return settings.default.max_examples < PROFILES["nightly"]
