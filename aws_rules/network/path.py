"""The way from one place to another: what it passes, and what stands in it."""

from dataclasses import dataclass, field

from aws_rules.network.explanations import EXPLANATIONS


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why a place is not reached.

    component: what stands in the way: `network ACL acl-1`.
    code: of `EXPLANATIONS`. detail: what it lacks here. remedy: an imperative.
    """

    component: str
    code: str
    detail: str
    remedy: str

    @property
    def words(self) -> str:
        """What the code means, in the words of who stands in the way."""
        return EXPLANATIONS[self.code].words

    def __str__(self) -> str:
        return f"{self.component}: {self.words} ({self.code}): {self.detail}: {self.remedy}."


@dataclass(kw_only=True)
class Path:
    """The way from one place to another.

    hops: what is passed, in order. reasons: why it is no way; none where the destination is reached.
    addresses: of the destination, as far as they are known: what a client dials.
    """

    hops: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.reasons

    def no(self, component: str, code: str, detail: str, remedy: str) -> None:
        """Add why it is no way, once. Arguments as of a `Reason`."""
        reason = Reason(component=component, code=code, detail=detail, remedy=remedy)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def hop(self, text: str) -> None:
        """Add what it passes, once."""
        if text not in self.hops:
            self.hops.append(text)
