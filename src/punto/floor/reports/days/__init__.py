"""A shift or a gaming day: figures, exceptions, sign-off."""
