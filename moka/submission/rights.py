"""Who may do what with jobs."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Action = Literal["submit", "see", "stop", "operate"]
"""`operate`: cordon clusters, set routes, and apply plans."""

ANY = "*"


@dataclass(frozen=True)
class Principal:
    """Somebody who is known.

    name: of a user, or the ARN of a role. groups: that they are in.
    """

    name: str
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Right:
    """What somebody may do.

    who: `user:<name>` or `group:<name>`, of which the name may be a pattern with `*`.
    may: actions. organization, project: where, `*` for any. tiers: of the jobs that they may submit.
    """

    who: str
    may: frozenset[Action]
    organization: str = ANY
    project: str = ANY
    tiers: frozenset[int] = frozenset({1, 2, 3})

    def of(self, principal: Principal) -> bool:
        """Whether it is this principal's."""
        kind, _, pattern = self.who.partition(":")
        names = {principal.name} if kind == "user" else principal.groups
        return any(fnmatchcase(name, pattern) for name in names)

    def covers(self, action: Action, queue: str, tier: int | None) -> bool:
        """Whether it is for an action on jobs of a queue `organization.project`, and of a tier."""
        organization, _, project = queue.partition(".")
        return (
            action in self.may
            and self.organization in (ANY, organization)
            and self.project in (ANY, project)
            and (tier is None or action != "submit" or tier in self.tiers)
        )


@dataclass(frozen=True)
class Policy:
    """All rights; without one, nobody may do anything."""

    rights: tuple[Right, ...] = ()

    @classmethod
    def of(cls, rights: Iterable[Right]) -> "Policy":
        """The policy of these rights."""
        return cls(tuple(rights))

    def allows(
        self, principal: Principal, action: Action, queue: str, tier: int | None = None, owner: str = ""
    ) -> bool:
        """Whether somebody may do something with jobs of a queue `organization.project`.

        owner: of the job, who may always see and stop it.
        """
        if owner == principal.name and action in ("see", "stop"):
            return True
        return any(right.of(principal) and right.covers(action, queue, tier) for right in self.rights)

    def may_see_all(self, principal: Principal) -> bool:
        """Whether somebody may see the jobs of every queue."""
        return any(
            right.of(principal) and "see" in right.may and (right.organization, right.project) == (ANY, ANY)
            for right in self.rights
        )
