"""A rule: what holds, why, where that is from, and what to do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Literal

from policies.pack.resource import Inputs, Resource

Severity = Literal["low", "medium", "high", "critical"]
Level = Literal["disabled", "advisory", "mandatory", "remediate"]
"""What a violation does: nothing, a warning, a refusal, or a correction by the engine, where there is one."""

Parameters = Mapping[str, Any]
"""What an environment may set of a rule, by name."""

Violations = Iterator[str]
"""Sentences: what is wrong, and what to do."""

Check = Callable[[Resource, Parameters], Violations]

StackViolations = Iterator[tuple[Resource, str]]
"""The resource that a sentence is about, and the sentence."""

StackCheck = Callable[[Sequence[Resource], Parameters], StackViolations]

Correction = Callable[[Inputs, Parameters], Inputs]
"""Inputs -> inputs that the rule lets through."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule on a resource, or on the resources of a stack together.

    title: what holds, in one sentence.
    subject: module that it is in.
    rationale: what happens otherwise.
    references: sections of the CIS EKS benchmark (`CIS 5.4.1`), addresses, decisions of ours (`docs/...`).
    types: of the resources that it looks at; `*` stands for any text.
    parameters: name -> default, the value of the strictest environment.
    correction: what would make a resource right, where that follows from the resource.
    """

    name: str
    title: str
    subject: str
    severity: Severity
    rationale: str
    references: Sequence[str]
    types: Sequence[str]
    parameters: Parameters
    check: Check | None = None
    stack_check: StackCheck | None = None
    correction: Correction | None = None

    def looks_at(self, type: str) -> bool:
        """Whether resources of a type are its concern."""
        return type in self.types or any(fnmatchcase(type, pattern) for pattern in self._patterns)

    @cached_property
    def _patterns(self) -> Sequence[str]:
        return [type for type in self.types if "*" in type]


class Subject:
    """The rules of a module, as they are declared.

    name: one word. title: what the rules are about.
    """

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self.rules: list[Rule] = []

    def rule(
        self,
        name: str,
        *types: str,
        severity: Severity,
        why: str,
        references: Iterable[str],
        correction: Correction | None = None,
        **parameters: Any,
    ) -> Callable[[Check], Check]:
        """Declare a rule on a resource; the first line of the function's docstring says what holds."""

        def declare(check: Check) -> Check:
            self._add(
                name, types, severity, why, references, parameters, check, check=check, correction=correction
            )
            return check

        return declare

    def stack_rule(
        self,
        name: str,
        *types: str,
        severity: Severity,
        why: str,
        references: Iterable[str],
        **parameters: Any,
    ) -> Callable[[StackCheck], StackCheck]:
        """Declare a rule on resources of a stack together, which are given those of these types."""

        def declare(check: StackCheck) -> StackCheck:
            self._add(name, types, severity, why, references, parameters, check, stack_check=check)
            return check

        return declare

    def _add(
        self,
        name: str,
        types: Sequence[str],
        severity: Severity,
        why: str,
        references: Iterable[str],
        parameters: Parameters,
        function: Callable[..., Any],
        **checks: Any,
    ) -> None:
        title = (function.__doc__ or "").strip().partition("\n")[0]
        self.rules.append(
            Rule(
                name=name,
                title=title,
                subject=self.name,
                severity=severity,
                rationale=why,
                references=tuple(references),
                types=types,
                parameters=parameters,
                **checks,
            )
        )
