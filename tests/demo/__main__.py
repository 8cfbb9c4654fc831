"""Runs the demonstration: visibly where there is a display, else without a window and with a picture of each step."""

import sys
import tempfile
from pathlib import Path
from typing import Literal

import click

from tests.demo.stage import SIZE, Stage, browser, has_display
from tests.demo.story import tell


def main() -> int:
    visible = has_display()
    if not visible:
        click.echo("No display here, so the browser has no window.")
    with browser(visible=visible) as (chromium, watched), tempfile.TemporaryDirectory() as folder:
        pictures = None if watched else Path(tempfile.mkdtemp(prefix="punto-demo-"))
        motion: Literal["no-preference", "reduce"] = "no-preference" if watched else "reduce"
        page = chromium.new_page(viewport=SIZE, reduced_motion=motion)
        stage = Stage(page, watched=watched, pictures=pictures)
        verified = tell(stage, Path(folder))
    click.echo(verified)
    if pictures is not None:
        click.echo(f"Pictures of the {stage.steps} steps: {pictures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
