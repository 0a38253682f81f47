"""What an environment sets of the rules, and what is excepted from them: `policies/configuration.yaml`.

Whatever an environment does not set is as strict as a rule can be: a new environment is not let off by
being forgotten here.
"""

import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated, Any, get_args

from pydantic import Field, ValidationError

from moka.documents import DocumentKind, Form, Section
from moka.mistakes import InvalidDocument, Mistake, near
from moka.project import project_folder
from policies.pack.rule import Level, Parameters, Rule

FILE = project_folder() / "policies" / "configuration.yaml"

LEVELS: tuple[Level, ...] = get_args(Level)

MAX_EXCEPTION = datetime.timedelta(days=366)
"""Nobody knows for longer that an exception is still wanted."""

RuleSettings = Mapping[str, Any]
"""`level`, and the rule's own parameters."""


class ExceptionEntry(Section):
    """What is excepted from a rule, by whom, why and until when."""

    rule: str = Field(description="Name of the rule; `docs/policies.md` lists them")
    environments: list[str] = Field(min_length=1, description="Environments that it is for")
    resource: str = Field(
        min_length=1, description="`<last word of the type>::<logical name>`; `*` stands for any text"
    )
    reason: Annotated[str, Form(r"(?s).{20,}", "say in a sentence why it is needed")]
    owner: Annotated[str, Form(r"@?[\w.+-]+([@/][\w.-]+)?", "write an address or a team, as @data-platform")]
    expires: datetime.date = Field(description="Last day on which it holds, at most a year from now")


class ConfigurationFile(Section):
    """What environments set, and exceptions."""

    everywhere: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Rule -> level and parameters, in all environments"
    )
    environments: dict[str, dict[str, dict[str, Any]]] = Field(
        default_factory=dict, description="Environment -> rule -> level and parameters"
    )
    exceptions: list[ExceptionEntry] = Field(default_factory=list, description="What is excepted")


KIND = DocumentKind(model=ConfigurationFile, example="policies/configuration.yaml", noun="the configuration")


@dataclass(frozen=True)
class Configuration:
    """The rules as one environment has them.

    settings: rule -> level and parameters that differ from the rule's own.
    exceptions: those of this environment.
    """

    settings: Mapping[str, RuleSettings] = field(default_factory=dict)
    exceptions: Sequence[ExceptionEntry] = ()

    def level(self, rule: Rule) -> Level:
        """What a violation of a rule does."""
        level: Level = self.settings.get(rule.name, {}).get("level", "mandatory")
        return level

    def parameters(self, rule: Rule) -> Parameters:
        """A rule's parameters."""
        settings = self.settings.get(rule.name, {})
        return {name: settings.get(name, default) for name, default in rule.parameters.items()}

    def excepts(self, rule: Rule, address: str) -> bool:
        """Whether a resource is excepted from a rule. address: `Resource.address`."""
        return any(
            entry.rule == rule.name and fnmatchcase(address, entry.resource) for entry in self.exceptions
        )

    def with_settings(self, settings: Mapping[str, RuleSettings]) -> "Configuration":
        """The same with more settings, such as those of `--policy-pack-config`."""
        combined_settings = {name: {**self.settings.get(name, {}), **more} for name, more in settings.items()}
        return Configuration({**self.settings, **combined_settings}, self.exceptions)


def load(
    content: bytes | str,
    rules: Sequence[Rule],
    environment: str,
    environments: Collection[str],
    today: datetime.date,
    where: str = "policies/configuration.yaml",
) -> Configuration:
    """The configuration of an environment, from the text of the file.

    environments: all that there are, which it may name.
    Raises InvalidDocument with every mistake in the file, other environments' and expired exceptions
    included, a line each.
    """
    try:
        file = KIND.validate(KIND.read(content, where), where)
    except ValidationError as error:
        raise _invalid(KIND.mistakes(error), where) from None
    by_name = {rule.name: rule for rule in rules}
    mistakes = [
        *_mistakes_of_environments(file, environments),
        *_mistakes_of_settings(file, by_name),
        *_mistakes_of_exceptions(file, by_name, today),
    ]
    if mistakes:
        raise _invalid(mistakes, where)
    exceptions = tuple(entry for entry in file.exceptions if environment in entry.environments)
    return Configuration(file.everywhere, exceptions).with_settings(file.environments.get(environment, {}))


def mistakes_of(settings: Mapping[str, RuleSettings], rules: Sequence[Rule], at: str) -> Iterator[Mistake]:
    """What is wrong in settings of rules; `at` is where they are."""
    by_name = {rule.name: rule for rule in rules}
    for name, values in settings.items():
        yield from _mistakes_of_rule(by_name, name, values, f"{at}.{name}" if at else name)


def _invalid(mistakes: Sequence[Mistake], where: str) -> InvalidDocument:
    return InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes))


def _mistakes_of_environments(file: ConfigurationFile, environments: Collection[str]) -> Iterator[Mistake]:
    names = [(f"environments.{name}", name) for name in file.environments]
    for index, entry in enumerate(file.exceptions):
        names += [(f"exceptions.{index}.environments", name) for name in entry.environments]
    for at, name in names:
        if name not in environments:
            yield Mistake(at, f"there is no environment {name!r}; {near(name, environments)}")


def _mistakes_of_settings(file: ConfigurationFile, rules: Mapping[str, Rule]) -> Iterator[Mistake]:
    for name, values in file.everywhere.items():
        yield from _mistakes_of_rule(rules, name, values, f"everywhere.{name}")
    for environment, settings in file.environments.items():
        for name, values in settings.items():
            yield from _mistakes_of_rule(rules, name, values, f"environments.{environment}.{name}")


def _mistakes_of_rule(
    rules: Mapping[str, Rule], name: str, values: RuleSettings, at: str
) -> Iterator[Mistake]:
    if (rule := rules.get(name)) is None:
        yield Mistake(at, f"there is no such rule; {near(name, rules)}")
        return
    for key, value in values.items():
        place = f"{at}.{key}"
        if key == "level":
            if value not in LEVELS:
                yield Mistake(place, f"is {value!r}; choose one of {', '.join(LEVELS)}")
            elif value == "remediate" and rule.correction is None:
                yield Mistake(place, "nothing can be corrected mechanically here; choose mandatory")
        elif key not in rule.parameters:
            yield Mistake(place, f"the rule has no such parameter; {near(key, ['level', *rule.parameters])}")
        elif not _alike(value, rule.parameters[key]):
            kind = _kind(rule.parameters[key])
            yield Mistake(place, f"is {value!r}, which is no {kind}; write it like {rule.parameters[key]!r}")


def _mistakes_of_exceptions(
    file: ConfigurationFile, rules: Mapping[str, Rule], today: datetime.date
) -> Iterator[Mistake]:
    for index, entry in enumerate(file.exceptions):
        at = f"exceptions.{index}"
        if entry.rule not in rules:
            yield Mistake(f"{at}.rule", f"there is no rule {entry.rule!r}; {near(entry.rule, rules)}")
        if entry.expires < today:
            yield Mistake(
                f"{at}.expires",
                f"the exception of {entry.resource} from {entry.rule} expired on {entry.expires}; mend what "
                f"it is for and remove it, or have {entry.owner} say anew why it is needed",
            )
        elif entry.expires > today + MAX_EXCEPTION:
            latest = today + MAX_EXCEPTION
            yield Mistake(
                f"{at}.expires",
                f"is {entry.expires}; an exception ends within a year, {latest} at the latest",
            )


def _alike(value: Any, default: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, int | float):
        return isinstance(value, int | float)
    if isinstance(default, list | tuple):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, type(default))


def _kind(default: Any) -> str:
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int | float):
        return "number"
    return "list of texts" if isinstance(default, list | tuple) else "text"
