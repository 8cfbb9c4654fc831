"""The lanes of the tests: ``make quick``, ``make test`` and ``make nightly``.

A lane is a choice of markers and a profile of hypothesis. ``pyproject.toml`` says what each marker means.
"""

from hypothesis import HealthCheck, settings

NOT_QUICK = ("browser", "crash", "sweep", "slow")
"""The markers of what ``make quick`` leaves out."""
PROFILES = {"quick": 20, "test": 50, "nightly": 500}
"""Examples of a property in each lane, where a test says nothing else."""


def load_profiles() -> None:
    """Register a profile for each lane. None has a deadline: a busy machine is no fault."""
    slow_is_fine = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    for lane, count in PROFILES.items():
        settings.register_profile(lane, max_examples=count, deadline=None, suppress_health_check=slow_is_fine)
    settings.load_profile("test")


def examples(in_test: int) -> int:
    """So many examples in ``make test``, and in the other lanes more or fewer in proportion."""
    assert settings.default is not None
    return max(1, in_test * settings.default.max_examples // PROFILES["test"])
