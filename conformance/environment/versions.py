"""Settings of an environment in a walk: first one Kubernetes version earlier, then upgraded."""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from moka.addon_versions import ADDON_VERSIONS

Settings = dict[str, Any]
"""What a settings file says."""

LASTING = ("driver", "shuffle")
"""Roles whose machines an upgrade leaves as they are, beside the next generation."""


@dataclass
class TrialSettings:
    """The settings file of the environment, changed while the walk needs it so.

    file: stacks/<environment>.yaml. kept: a copy of it, there from the first step until nothing is left, so
    that a walk that was killed is known.
    """

    file: Path
    kept: Path

    @property
    def begun(self) -> bool:
        """Whether a walk was begun and has not come to its end."""
        return self.kept.is_file()

    @property
    def upgrades(self) -> bool:
        """Whether there is an earlier version that the clusters can come from."""
        settings = self._settings()
        return earlier(settings) != settings

    def begin(self) -> None:
        """Have the clusters one version earlier, where the platform knows that."""
        self.end()
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        self.kept.write_text(self.file.read_text())
        self._write(earlier(self._settings()))

    def upgrade(self) -> None:
        """Have the clusters in the version that the settings say, as docs/operations/upgrading.md does it."""
        self._write(upgraded(self._settings()))

    def end(self) -> None:
        """Have the settings as they were."""
        if self.begun:
            self.file.write_text(self.kept.read_text())

    def forget(self) -> None:
        """Nothing is left of the walk."""
        self.kept.unlink(missing_ok=True)

    def _settings(self) -> Settings:
        return dict(yaml.safe_load((self.kept if self.begun else self.file).read_text()))

    def _write(self, settings: Settings) -> None:
        self.file.write_text(yaml.safe_dump(settings, sort_keys=False))


def earlier(settings: Settings) -> Settings:
    """Settings whose clusters are one minor version earlier, where add-ons for that are known."""
    settings = deepcopy(settings)
    for cluster in settings["clusters"].values():
        major, minor = str(cluster["version"]).split(".")
        version = f"{major}.{int(minor) - 1}"
        if version in ADDON_VERSIONS:
            cluster["version"] = version
    return settings


def upgraded(settings: Settings) -> Settings:
    """The settings, with a new generation of the groups that an upgrade must not touch."""
    settings = deepcopy(settings)
    for cluster in settings["clusters"].values():
        for group in cluster["node_groups"].values():
            if group["role"] in LASTING:
                generation = group.get("generation", 1)
                group |= {
                    "generation": generation + 1,
                    "retiring": {generation: {"instance_types": group["instance_types"]}},
                }
    return settings
