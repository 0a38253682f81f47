"""The rules on a resource, and on a stack, as an environment has them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from policies.pack.charts import NotRendered
from policies.pack.configuration import Configuration, RuleSettings
from policies.pack.objects import RELEASE, objects_of_chart
from policies.pack.resource import Inputs, Resource, text
from policies.pack.rule import Rule

Render = Callable[[Resource], Sequence[dict[str, object]]]
"""A release -> the objects of its chart. Raises NotRendered."""

CHART_RULE = "chart-rendered"
"""Violated by a release whose chart cannot be rendered: nobody knows what is inside."""


@dataclass(frozen=True)
class Violation:
    """What is wrong with a resource, and what to do, in a sentence."""

    rule: Rule
    urn: str
    sentence: str


@dataclass(frozen=True)
class Evaluation:
    """Rules, asked about resources.

    rules: all of them.
    configuration: of the environment.
    render: what is inside a release.
    """

    rules: Sequence[Rule]
    configuration: Configuration
    render: Render
    _by_type: dict[str, Sequence[Rule]] = field(default_factory=dict)

    def violations(self, resource: Resource) -> Iterator[Violation]:
        """What is wrong with a resource, and with what is inside it."""
        for subject in self.subjects(resource):
            if isinstance(subject, Violation):
                yield subject
                continue
            for rule in self._of(subject.type):
                if rule.check and not self.configuration.excepts(rule, subject.address):
                    for sentence in rule.check(subject, self.configuration.parameters(rule)):
                        yield Violation(rule, subject.urn, sentence)

    def stack_violations(self, resources: Sequence[Resource]) -> Iterator[Violation]:
        """What is wrong with the resources of a stack together."""
        for rule in self._active(self.rules):
            if rule.stack_check:
                rule_resources = [resource for resource in resources if rule.looks_at(resource.type)]
                parameters = self.configuration.parameters(rule)
                for resource, sentence in rule.stack_check(rule_resources, parameters):
                    if not self.configuration.excepts(rule, resource.address):
                        yield Violation(rule, resource.urn, sentence)

    def correcting(self, type: str) -> Sequence[Rule]:
        """The rules that correct resources of a type in this environment."""
        return [rule for rule in self._of(type) if self.configuration.level(rule) == "remediate"]

    def corrected(self, rule: Rule, resource: Resource, inputs: Inputs) -> Inputs:
        """A resource's inputs as a rule would have them; as they are where it lets them through.

        inputs: as the engine has them, with its marks of what is secret or not known.
        """
        parameters = self.configuration.parameters(rule)
        if not rule.check or not rule.correction or self.configuration.excepts(rule, resource.address):
            return inputs
        return rule.correction(inputs, parameters) if any(rule.check(resource, parameters)) else inputs

    def with_settings(self, settings: Mapping[str, RuleSettings]) -> "Evaluation":
        """The same with more settings of rules."""
        return Evaluation(self.rules, self.configuration.with_settings(settings), self.render)

    def subjects(self, resource: Resource) -> Iterator[Resource | Violation]:
        """A resource, and what is inside it."""
        yield resource
        if resource.type != RELEASE:
            return
        chart = text(resource.get("chart")).rpartition("/")[2]
        try:
            yield from objects_of_chart(resource, chart, self.render(resource))
        except NotRendered as error:
            for rule in self._active(self.rules):
                if rule.name == CHART_RULE and not self.configuration.excepts(rule, resource.address):
                    sentence = (
                        f"What is inside release {resource.name} of chart {chart} is not checked: {error}."
                    )
                    yield Violation(rule, resource.urn, sentence)

    def _of(self, type: str) -> Sequence[Rule]:
        if type not in self._by_type:
            self._by_type[type] = [rule for rule in self._active(self.rules) if rule.looks_at(type)]
        return self._by_type[type]

    def _active(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        return (rule for rule in rules if self.configuration.level(rule) != "disabled")
