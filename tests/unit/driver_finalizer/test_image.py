import re
from pathlib import Path

import driver_finalizer

FOLDER = Path(driver_finalizer.__file__).parent


def pinned(path):
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", path.read_text(), re.MULTILINE))


def test_the_image_holds_the_versions_that_are_tried_here():
    of_image, here = pinned(FOLDER / "requirements.txt"), pinned(FOLDER.parent / "requirements.txt")

    assert "kopf" in of_image
    assert of_image.items() <= here.items()
