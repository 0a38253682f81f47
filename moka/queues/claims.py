"""Which queues the jobs of a namespace may name."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moka.names import ROOT_QUEUE

ANY = "*"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Queues of an organization that jobs may name.

    project: of it; `*` for all. tiers: of the project.
    """

    organization: str
    project: str = ANY
    tiers: Sequence[int] = (1, 2, 3)

    @property
    def pattern(self) -> str:
        """Regular expression of the paths of these queues, as Go's RE2 and Python read it."""
        project = "[^.]+" if self.project == ANY else self.project
        tiers = "".join(str(tier) for tier in sorted(set(self.tiers)))
        return f"^{ROOT_QUEUE}[.]{self.organization}[.]{project}[.]tier[{tiers}]$"


def matching_queues(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those of some queues that one of these patterns is for."""
    return [path for path in paths if any(re.search(pattern, path) for pattern in patterns)]
