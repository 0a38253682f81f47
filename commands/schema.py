"""`moka schema`: what is generated from the models of settings, queues and jobs, and a picture."""

from collections.abc import Mapping
from pathlib import Path


def schema() -> None:
    """Generate JSON Schemas, and what docs/ has of the models.

    The schemas are those of settings, queues and jobs, by which an editor completes and checks such files.
    """
    for path, text in files().items():
        path.write_text(text)


def files() -> Mapping[Path, str]:
    """Path of each file that is written, and its text."""
    # Every policy is loaded for it, and no other command needs them.
    from drawing.as_svg import as_svg
    from drawing.stack_picture import stack_picture
    from stacks.generated_files import REPOSITORY, generated_files

    return {**generated_files(), REPOSITORY / "docs" / "local.svg": as_svg(stack_picture("local"))}
