"""The laptop cloud as pip installs it: in an environment of its own, far from the checkout."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from localcloud.cloud import REPOSITORY
from localcloud.tools import cache
from tests.support.documented import commands
from tests.support.installed_wheels import environment_with


def documented(number: int) -> str:
    """The shell commands of a block of the chapter, the first one 0."""
    return commands("docs/laptop-cloud.md", "## Your own program", number)


@dataclass(frozen=True)
class InstalledLaptop:
    """A home in which people have installed it."""

    home: Path

    def run(self, script: str) -> CompletedProcess[str]:
        """Run shell commands in the home, up to the first that fails; with all that they print."""
        return subprocess.run(
            ["bash", "-ec", script], cwd=self.home, env=self._environment, capture_output=True, text=True
        )

    @property
    def _environment(self) -> dict[str, str]:
        """That of somebody who has nothing of this checkout but the tools that were made."""
        own = {"PATH": f"{self.home}/.local/bin:{os.defpath}", "HOME": str(self.home)}
        kept = {name: os.environ[name] for name in ("JAVA_HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, **own, "MOKA_CACHE": str(cache.root())}

    def install_without_its_packages(self) -> None:
        """Install what the distribution is built of; what it requires is taken from this process."""
        environment_with(self.home / "laptop-cloud", [REPOSITORY / "localcloud"])
        self._link()

    def install(self) -> None:
        """Install it with all that it requires, as documented."""
        script = documented(0).replace("./localcloud", str(REPOSITORY / "localcloud"))
        done = self.run(script)
        assert done.returncode == 0, done.stdout + done.stderr

    def _link(self) -> None:
        programs = self.home / ".local" / "bin"
        programs.mkdir(parents=True)
        (programs / "laptop-cloud").symlink_to(self.home / "laptop-cloud" / "bin" / "laptop-cloud")
