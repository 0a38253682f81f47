"""A picture of what a stack's name means, by the settings that are here."""

from collections.abc import Sequence

import yaml

from drawing.folding import fold_alike
from drawing.from_previews import mark
from drawing.from_settings import picture
from drawing.model import Picture
from moka.mistakes import InvalidDocument
from previews import Preview
from stacks.settings import reading


def stack_picture(stack: str, previews: Sequence[Preview] = ()) -> Picture:
    """An environment, or one of its stacks, and what previews change there.

    stack: `prod`, `prod.shared`. Of many clusters, those that are alike are folded; with previews, those
    where nothing changes.
    Raises InvalidDocument for settings that are wrong or not there, and for a preview of something else.
    """
    for preview in previews:
        if preview.project != (project := _project()):
            raise InvalidDocument(
                f"The preview is of project {preview.project}, and the settings here are of {project}: "
                "draw it where it was previewed."
            )
    environment, _, slice_name = stack.partition(".")
    whole = picture(reading.load(environment), stack if slice_name else None)
    return mark(whole, previews) if previews else fold_alike(whole)


def _project() -> str:
    return str(yaml.safe_load((reading.FOLDER.parent / "Pulumi.yaml").read_text())["name"])
