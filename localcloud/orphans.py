"""Processes that a killed engine left behind: plugins and language hosts that no engine uses."""

from collections.abc import Iterator

import psutil

from localcloud.cloud import Cloud

ORPHAN_COMMANDS = ("pulumi-language-", "pulumi-resource-", "localcloud.plugins.")


def end_orphans(cloud: Cloud) -> int:
    """End them; their number. To be called only when no engine works on the cloud."""
    orphans = list(_orphans(cloud))
    for process in orphans:
        process.terminate()
    _, living = psutil.wait_procs(orphans, timeout=5)
    for process in living:
        process.kill()
    return len(orphans)


def _orphans(cloud: Cloud) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if any(word in words for word in ORPHAN_COMMANDS) and (
                process.environ().get("MOKA_CLOUD") == str(cloud.home)
            ):
                yield process
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
