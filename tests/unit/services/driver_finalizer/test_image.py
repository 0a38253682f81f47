import re

from localcloud.cloud import REPOSITORY

FOLDER = REPOSITORY / "services" / "driver_finalizer"


def pinned(path):
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", path.read_text(), re.MULTILINE))


def test_the_image_holds_the_versions_that_are_tried_here():
    of_image, here = pinned(FOLDER / "requirements.txt"), pinned(REPOSITORY / "requirements.txt")

    assert "kopf" in of_image
    assert of_image.items() <= here.items()
