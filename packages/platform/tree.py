"""What of the repository is in the platform's wheel: packages, without the settings of environments."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REPOSITORY = Path(__file__).resolve().parents[2]

PACKAGES = (
    "accounts",
    "commands",
    "conformance",
    "delivery",
    "doctor",
    "drawing",
    "planning",
    "policies",
    "previews",
    "recovery",
    "report",
    "sbom",
    "services",
    "stacks",
)

OF_A_PROJECT = ("policies/PulumiPolicy.yaml", "policies/__main__.py", "policies/configuration.yaml")
"""What every repository has of its own, besides its settings."""


class Tree(BuildHookInterface[Any]):
    """Puts the packages into the wheel, below `moka_platform`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each file, and where it goes."""
        for package in PACKAGES:
            for path in sorted((REPOSITORY / package).rglob("*")):
                name = path.relative_to(REPOSITORY).as_posix()
                if path.is_file() and "__pycache__" not in path.parts and not _of_a_project(name):
                    build_data["force_include"][str(path)] = f"moka_platform/{name}"


def _of_a_project(name: str) -> bool:
    return name in OF_A_PROJECT or (name.startswith("stacks/") and name.endswith(".yaml"))
