import json

import jsonschema
import pytest
import yaml

from stacks import settings
from stacks.generated_files import generated_files
from stacks.settings import SETTINGS, reading

LOCAL = settings.path_of("local").read_text()


def refused(text: str | bytes, environment: str | None = None) -> list[str]:
    """The lines with which a settings file is refused."""
    with pytest.raises(settings.InvalidDocument) as error:
        settings.parse(text, "stacks/local.yaml", environment)
    return str(error.value).splitlines()


@pytest.mark.parametrize("environment", reading.environments())
def test_every_environment_is_accepted(environment):
    assert settings.load(environment).environment == environment


@pytest.mark.parametrize("environment", reading.environments())
def test_an_editor_with_the_schema_accepts_every_environment(environment):
    document = yaml.safe_load(settings.path_of(environment).read_text())

    jsonschema.Draft202012Validator(json.loads(SETTINGS.schema())).validate(json.loads(json.dumps(document)))


@pytest.mark.parametrize("path", generated_files(), ids=lambda path: path.name)
def test_generated_files_are_up_to_date(path):
    assert path.read_text() == generated_files()[path], "run `make schema`"


def test_the_schema_refuses_a_misspelt_key():
    validator = jsonschema.Draft202012Validator(json.loads(SETTINGS.schema()))

    wrong = json.loads(json.dumps(yaml.safe_load(LOCAL.replace("home: spark-a", "hom: spark-a"))))
    assert {error.validator for error in validator.iter_errors(wrong)} == {"additionalProperties", "required"}


def test_every_setting_is_described():
    definitions = json.loads(SETTINGS.schema())
    sections = {"Environment": definitions, **definitions["$defs"]}

    undescribed = [
        f"{name}.{key}"
        for name, section in sections.items()
        for key, field in section.get("properties", {}).items()
        if "description" not in field and "$ref" not in field
    ]
    assert undescribed == []


def test_all_mistakes_are_reported_at_once_those_across_the_file_too():
    wrong = yaml.safe_load(LOCAL)
    wrong["hom"] = wrong["home"]
    wrong["clusters"]["spark-a"]["node_groups"]["system"]["architecture"] = "arm"
    wrong["clusters"]["spark-a"]["node_groups"]["shuffle"]["instance_types"] = ["r6i.4xlarge"]
    wrong["job_namespaces"] = {"kube-system": {}}

    message = "\n".join(refused(yaml.safe_dump(wrong)))

    assert "hom: unknown key; did you mean 'home'?" in message
    assert "node_groups.system.architecture: is 'arm'; input should be 'arm64' or 'amd64'" in message
    assert "node_groups.shuffle.instance_types: r6i.4xlarge is amd64, but the group is arm64" in message
    assert "job_namespaces.kube-system: is a name that the platform uses itself" in message
    # What stands in for a wrong part is no mistake of its own.
    assert "no group with role system" not in message


def test_for_an_environment_without_settings_the_message_lists_those_that_exist():
    with pytest.raises(settings.InvalidDocument, match=r"'prodd' has no settings.*dev, local, prod"):
        settings.load("prodd")


def test_settings_of_another_environment_are_refused():
    [line] = refused(LOCAL, "prod")

    assert "environment: is 'local', but must be 'prod', like the name of the file" in line
