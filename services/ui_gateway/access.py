"""Who sees what: by groups of a user."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from services.ui_gateway.hosts import Application, Page


@dataclass(frozen=True)
class User:
    """Somebody who has logged in.

    subject: the issuer's id. name: to show. groups: those that anything here is decided by.
    """

    subject: str
    name: str
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Access:
    """Who sees what.

    viewers: job namespace -> groups whose members see its jobs; one without groups is shown to everybody.
    operators: groups whose members see the platform's pages, and every job.
    for_operators: hosts of these pages.
    """

    viewers: Mapping[str, Collection[str]] = field(default_factory=dict)
    operators: Collection[str] = ()
    for_operators: Collection[str] = ()

    @property
    def groups(self) -> frozenset[str]:
        """All groups that matter: a session has no others."""
        return frozenset(self.operators).union(*self.viewers.values())

    def sees(self, user: User, target: Application | Page) -> bool:
        """Whether a user may see what is there."""
        if user.groups & frozenset(self.operators):
            return True
        if isinstance(target, Page):
            return target.host not in self.for_operators
        viewers = frozenset(self.viewers.get(target.namespace, ()))
        return not viewers or bool(viewers & user.groups)


def not_shown(target: Application | Page) -> str:
    """The same whether there is such a job, and such a namespace, or not."""
    if isinstance(target, Page):
        return f"{target.host} is for operators"
    return f"jobs of {target.namespace} are not shown to you"
