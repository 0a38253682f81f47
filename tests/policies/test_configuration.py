import pytest
import yaml

from moka.mistakes import InvalidDocument
from policies.catalog import RULES
from policies.pack import configuration
from policies.pack.configuration import FILE, Configuration, load
from policies.pack.evaluation import Evaluation
from policies.pack.resource import Resource
from policies.pack.types import BUCKET_BLOCK, CLUSTER, KEY
from policies.start import environments
from tests.support.calendar import TODAY

ENVIRONMENTS = ("local", "test", "dev", "staging", "prod")
EXCEPTION = {
    "rule": "key-rotates",
    "environments": ["prod"],
    "resource": "Key::main",
    "reason": "Its material is imported, and is changed by hand every spring.",
    "owner": "@security",
    "expires": "2027-03-01",
}


def loaded(environment="prod", **file):
    return load(yaml.safe_dump(file), RULES, environment, ENVIRONMENTS, TODAY, "rules.yaml")


def refusal(**file):
    with pytest.raises(InvalidDocument) as error:
        loaded(**file)
    return str(error.value)


def violated(settings: Configuration, resource):
    evaluation = Evaluation(RULES, settings, lambda release: [])
    return {violation.rule.name for violation in evaluation.violations(resource)}


def key(name="main", **inputs):
    return Resource(KEY, name, f"urn:pulumi:prod::moka::{KEY}::{name}", inputs, protected=True)


def test_an_environment_that_sets_nothing_is_as_strict_as_can_be():
    settings = loaded("new", environments={"local": {"key-rotates": {"level": "disabled"}}})

    assert "key-rotates" in violated(settings, key())


def test_an_environment_sets_levels_and_parameters_over_those_of_all():
    file = {
        "everywhere": {"key-deletion-window": {"at_least_days": 14}},
        "environments": {
            "local": {"key-deletion-window": {"at_least_days": 7}, "key-rotates": {"level": "disabled"}}
        },
    }
    soon = key(deletionWindowInDays=10)

    assert violated(loaded("prod", **file), soon) == {"key-deletion-window", "key-rotates"}
    assert violated(loaded("local", **file), soon) == set()


def test_an_exception_is_for_its_resource_rule_and_environment():
    settings = loaded("prod", exceptions=[EXCEPTION])

    assert violated(settings, key()) == set()
    assert violated(settings, key("other")) == {"key-rotates"}
    assert "key-deletion-window" in violated(settings, key(deletionWindowInDays=7))
    assert violated(loaded("dev", exceptions=[EXCEPTION]), key()) == {"key-rotates"}


@pytest.mark.parametrize("missing", EXCEPTION)
def test_an_exception_without_one_of_its_parts_is_refused(missing):
    entry = {name: value for name, value in EXCEPTION.items() if name != missing}

    assert f"exceptions.0.{missing}: is missing" in refusal(exceptions=[entry])


@pytest.mark.parametrize(
    ("part", "value", "sentence"),
    [
        ("rule", "key-rotate", "there is no rule 'key-rotate'; did you mean 'key-rotates'?"),
        ("reason", "because", "say in a sentence why it is needed"),
        ("owner", "the team over there", "write an address or a team"),
        ("environments", [], "should have at least 1 item"),
        ("environments", ["prd"], "there is no environment 'prd'; did you mean 'prod'?"),
        ("expires", "soon", "exceptions.0.expires: is 'soon'"),
        ("expires", "2028-03-01", "an exception ends within a year, 2027-11-23 at the latest"),
        (
            "expires",
            "2026-11-21",
            "the exception of Key::main from key-rotates expired on 2026-11-21; mend what",
        ),
    ],
)
def test_an_exception_that_cannot_hold_is_refused_with_what_to_write(part, value, sentence):
    assert sentence in refusal(exceptions=[{**EXCEPTION, part: value}])


def test_an_exception_holds_on_its_last_day():
    assert violated(loaded(exceptions=[{**EXCEPTION, "expires": str(TODAY)}]), key()) == set()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"key-rotate": {}},
            "environments.prod.key-rotate: there is no such rule; did you mean 'key-rotates'?",
        ),
        ({"key-rotates": {"level": "strict"}}, "level: is 'strict'; choose one of disabled, advisory"),
        (
            {"no-users": {"level": "remediate"}},
            "nothing can be corrected mechanically here; choose mandatory",
        ),
        (
            {"key-deletion-window": {"at_least_day": 7}},
            "the rule has no such parameter; did you mean 'at_least_days'?",
        ),
        ({"key-deletion-window": {"at_least_days": "7"}}, "is '7', which is no number; write it like 30"),
        ({"key-deletion-window": {"at_least_days": True}}, "is True, which is no number"),
        ({"no-privileged": {"but": "kube-system/*"}}, "is 'kube-system/*', which is no list of texts"),
        ({"role-boundary": {"required": 1}}, "is 1, which is no true or false"),
    ],
)
def test_settings_of_rules_that_cannot_be_are_refused_with_their_place(settings, sentence):
    assert sentence in refusal(environments={"prod": settings})
    assert sentence.replace("environments.prod", "everywhere") in refusal(everywhere=settings)


def test_settings_of_an_environment_that_is_not_there_are_refused():
    assert "environments.prd: there is no environment 'prd'; did you mean 'prod'?" in refusal(
        environments={"prd": {"spot-share": {"at_most_percent": 10}}}
    )


def test_every_mistake_is_said_at_once():
    said = refusal(environments={"dev": {"a": {}, "b": {}}}, exceptions=[{**EXCEPTION, "rule": "c"}])

    assert len(said.splitlines()) == 3


@pytest.mark.parametrize(
    "content", ["", "[]", "environments: {prod: [}", "environments: {}\nenvironments: {}", "x: 1"]
)
def test_a_file_that_is_no_configuration_is_refused(content):
    with pytest.raises(InvalidDocument, match=r"^rules\.yaml"):
        load(content, RULES, "prod", ENVIRONMENTS, TODAY, "rules.yaml")


def test_ours_is_valid_for_every_environment():
    for environment in ENVIRONMENTS:
        load(FILE.read_bytes(), RULES, environment, environments(), TODAY)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize(
    ("day", "rule"),
    [
        ("2027-01-25", None),
        ("2027-01-26", "cluster-version-ends-soon"),
        ("2027-03-26", "cluster-version-ends-soon"),
        ("2027-03-27", "cluster-version-supported"),
        ("2028-06-01", "cluster-version-supported"),
    ],
)
def test_every_environment_is_told_sixty_days_before_support_of_its_version_ends(
    monkeypatch, environment, day, rule
):
    monkeypatch.setenv("MOKA_AS_OF", day)
    settings = load(FILE.read_bytes(), RULES, environment, environments(), TODAY)
    cluster = Resource(CLUSTER, "spark-a", f"urn:pulumi:prod::moka::{CLUSTER}::spark-a", {"version": "1.35"})

    about_versions = {name for name in violated(settings, cluster) if name.startswith("cluster-version-")}

    assert about_versions == {rule} - {None}


def test_what_data_and_access_depend_on_is_relaxed_in_no_environment_with_data():
    for environment in ("staging", "prod"):
        settings = load(FILE.read_bytes(), RULES, environment, environments(), TODAY)
        relaxed = {rule.name for rule in RULES if settings.level(rule) != "mandatory"}
        assert relaxed == {"cluster-version-ends-soon"}


def test_settings_of_one_run_lie_over_those_of_the_file():
    settings = loaded().with_settings({"bucket-not-public": {"level": "advisory"}})
    [rule] = [rule for rule in RULES if rule.name == "bucket-not-public"]

    assert settings.level(rule) == "advisory"
    assert "bucket-not-public" in violated(settings, Resource(BUCKET_BLOCK, "b", "urn", {}))
    assert list(configuration.mistakes_of({"bucket-not-publik": {}}, RULES, ""))
