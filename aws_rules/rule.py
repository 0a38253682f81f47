"""What a rule is, and what it says: that something is refused, or that it does not know."""

from dataclasses import dataclass
from typing import Literal

Authority = Literal["AWS", "EKS", "Kubernetes", "Registries"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Something that AWS, EKS, Kubernetes or a registry decides, and that is decided here as they do.

    name: of the rule, such as `node-permissions`; unique.
    authority: who decides it.
    decides: what, as a clause: "whether a node's role may do what joining takes".
    source: address, or `repository: path`, of where that is written.
    further: more such sources, of its data or of its words.
    """

    name: str
    authority: Authority
    decides: str
    source: str
    further: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Violation:
    """Something that would be refused.

    rule: that refuses it.
    resource: what is refused, as an engineer names it: `node group driver-arm64 of spark-a`.
    code: error code of who refuses, such as `NodeCreationFailure`.
    message: in its own words, without a full stop.
    remedy: what to do, as an imperative, without a full stop.
    """

    rule: Rule
    resource: str
    code: str
    message: str
    remedy: str

    def __str__(self) -> str:
        authority = self.rule.authority
        return f"{self.resource}: {authority} refuses this: {self.message} ({self.code}): {self.remedy}."


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """Something that a rule cannot decide, as its data lack the case: not refused, and listed at the end.

    rule: that would decide it.
    resource: what it is about.
    lacks: what the rule does not know, such as `instance type m9g.large`.
    """

    rule: Rule
    resource: str
    lacks: str

    def __str__(self) -> str:
        return f"{self.resource}: {self.rule.name} does not know {self.lacks}, so nothing was refused."


Verdict = Violation | Unknown
"""What a rule says of something that it does not let pass."""
