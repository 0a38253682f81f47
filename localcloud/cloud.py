"""Where one laptop cloud keeps what it has: a folder, and the environment of its programs.

A cloud is one in-memory AWS, any number of control planes, one engine home with our plugins, and one
folder of Pulumi state. Two clouds (a developer's, a test run's) share nothing but the built tools.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
"""What this package is imported from: a checkout, or the folder in which pip installed it."""

CHECKOUT = next(
    (folder for folder in (REPOSITORY, Path(sys.prefix).parents[1]) if (folder / "bootstrap").is_file()), None
)
"""The checkout that it serves, where `bootstrap` makes the environment that it runs in: its own, or that of a
repository with the platform installed. None where it is installed for anybody's program."""

RUN = "make" if CHECKOUT else "laptop-cloud"
"""What people run: `make up` in a checkout, `laptop-cloud up` where it is installed."""


def local_folder() -> Path:
    """What is made for this checkout only, ignored by git; where it is installed, for its user."""
    if CHECKOUT:
        return CHECKOUT / ".local"
    # https://specifications.freedesktop.org/basedir-spec/latest/
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "laptop-cloud"


def recovery(stack: str) -> str:
    """The command that finds out about what was cut off."""
    return (
        f"make recover STACK={stack}" if CHECKOUT else f"laptop-cloud exec -- pulumi refresh --stack {stack}"
    )


# moto's own default account: what any key pair means where the program names no other.
ACCOUNT = "123456789012"
REGION = "us-east-1"

CONTENTS = (
    "aws",
    "clock.json",
    "clusters",
    "databases",
    "helm",
    "kept",
    "plugin-*.log",
    "pulumi",
    "stack-files",
    "start.lock",
    "state",
    "state-copies",
    "unknown",
)
"""All that a cloud's folder has. Whoever names a folder may have something else there too, which stays."""


@dataclass(frozen=True)
class Cloud:
    """One laptop cloud.

    home: folder that holds all of it; made when the cloud is started, ignored by git.
    """

    home: Path

    @classmethod
    def of_environment(cls) -> "Cloud":
        """The cloud that `MOKA_CLOUD` names, by default the one of this checkout, or of its user."""
        return cls(Path(os.environ.get("MOKA_CLOUD") or local_folder() / "cloud").resolve())

    @property
    def start_lock(self) -> Path:
        """Locked while its programs are started or ended, so that one process at a time does it."""
        return self.home / "start.lock"

    @property
    def engine_home(self) -> Path:
        """`PULUMI_HOME`: the engine's home, with our plugins in place of the real ones."""
        return self.home / "pulumi"

    @property
    def state(self) -> Path:
        """Folder of Pulumi's state; besides it, our plugins serve only buckets of the cloud's own AWS."""
        return self.home / "state"

    @property
    def backend_url(self) -> str:
        """`PULUMI_BACKEND_URL`."""
        return f"file://{self.state}"

    @property
    def aws(self) -> Path:
        """Folder of moto's server: its port, pid and log."""
        return self.home / "aws"

    @property
    def clusters(self) -> Path:
        """Folder of the control planes, one sub-folder each."""
        return self.home / "clusters"

    def remove(self) -> None:
        """Delete what it has, once its programs have ended, and its folder unless something else is there."""
        for pattern in CONTENTS:
            for path in self.home.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        if self.home.is_dir() and not any(self.home.iterdir()):
            self.home.rmdir()
