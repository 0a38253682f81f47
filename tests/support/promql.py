"""What a query of Prometheus asks for, by a parser of its language."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import promql_parser
from promql_parser import AggModifierType, AggregateExpr, Expr, VectorSelector


@dataclass(frozen=True)
class Selector:
    """Of a metric, or of those whose names fit; label -> value or pattern."""

    name: str | None
    pattern: str | None
    labels: dict[str, str]

    def metrics(self, known: Iterable[str]) -> set[str]:
        """Which of the known ones it asks for."""
        if self.name:
            return {self.name} & set(known)
        return {metric for metric in known if re.fullmatch(self.pattern or "", metric)}


def parts(text: str) -> list[Expr]:
    """All expressions in a query; ValueError where it is none."""
    expressions: list[Expr] = []
    promql_parser.walk(promql_parser.parse(text), pre_visit=expressions.append)
    return expressions


def selectors(text: str) -> Iterator[Selector]:
    """What it selects."""
    for part in parts(text):
        if isinstance(part, VectorSelector):
            labels = {matcher.name: matcher.value for matcher in part.matchers.matchers}
            yield Selector(part.name, labels.pop("__name__", None), labels)


def labels_left(text: str) -> set[str] | None:
    """Labels that sums, counts and the like may leave; None where nothing takes one away."""
    aggregates = [part.modifier for part in parts(text) if isinstance(part, AggregateExpr) and part.modifier]
    if not aggregates:
        return None
    return {
        label
        for aggregate in aggregates
        if aggregate.type == AggModifierType.By
        for label in aggregate.labels
    }
