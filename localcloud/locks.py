"""Who works on stacks: the locks that engines keep in the folder of a cloud's state."""

import json
from pathlib import Path

import psutil

from localcloud.cloud import Cloud


def locks_folder(cloud: Cloud, project: str, stack: str) -> Path:
    """Where engines keep the locks of a stack, a file each."""
    return cloud.state / ".pulumi" / "locks" / "organization" / project / stack


def holder(lock: Path) -> int:
    """Process that made a lock; 0 when it was cut off before it wrote its id, or is lifted by now."""
    try:
        return int(json.loads(lock.read_text())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def runs_pulumi(pid: int) -> bool:
    """Whether this process is an engine, and not one that has ended or something else by now."""
    try:
        process = psutil.Process(pid)
        # A killed process stays in the table until its parent has read its exit status.
        return "pulumi" in process.name() and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def at_work(cloud: Cloud, project: str = "*", stack: str = "*") -> list[int]:
    """Processes of the engines that are changing a stack now; by default any stack of the cloud."""
    locks = (cloud.state / ".pulumi" / "locks" / "organization").glob(f"{project}/{stack}/*.json")
    return sorted({pid for lock in locks if (pid := holder(lock)) and runs_pulumi(pid)})
