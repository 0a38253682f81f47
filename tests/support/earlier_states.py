"""States of `local` as earlier versions of this program deployed it, and as it deploys it today.

data/states/<version>.json.gz is what `pulumi stack export` printed for stack `local` of that version, without
stack traces; data/local-state.json.gz is that of today. A release adds one: docs/releases.md.
"""

import gzip
import re
from pathlib import Path

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane

DATA = Path(__file__).resolve().parents[1] / "local" / "data"

TODAY = DATA / "local-state.json.gz"

EARLIER = {path.name.removesuffix(".json.gz"): path for path in sorted((DATA / "states").glob("*.json.gz"))}
"""Version -> its state."""

HOME = "/tmp/base-local"
"""The cloud that all of them were recorded on."""

ENDPOINT = re.compile(r"https://127\.0\.0\.1:\d+")
"""Of its API server."""


def on_cloud(recorded: Path, cloud: Cloud, plane: ControlPlane) -> str:
    """A recorded state, as JSON, with the paths and the address of this cloud."""
    state = gzip.decompress(recorded.read_bytes()).decode()
    return ENDPOINT.sub(plane.endpoint, state).replace(HOME, str(cloud.home))
