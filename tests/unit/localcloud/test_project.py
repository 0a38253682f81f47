from ipaddress import IPv4Network

import pytest

from aws_rules.images.pull import exists_for
from aws_rules.images.reference import Reference
from localcloud.cloud import REPOSITORY
from localcloud.errors import Refusal
from localcloud.project import (
    ProjectCall,
    deployer_network,
    identity_at_hand,
    image_architectures,
    project_calls,
    project_folder,
    stand_in_modules,
    stand_in_variables,
)
from moka import catalog
from tests.support.unbounded_yaml import REPEATED, WITHIN_ITSELF


@pytest.fixture
def project(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    (tmp_path / "services" / "remover").mkdir(parents=True)
    (tmp_path / "services" / "remover" / "__main__.py").touch()
    (tmp_path / "single.py").touch()
    return tmp_path


def test_a_project_says_which_modules_stand_in_for_its_deployments(project):
    (project / "localcloud.yaml").write_text(
        "stand_ins:\n  remover: {module: services.remover}\n  one: {module: single}\n"
    )

    assert stand_in_modules(project) == {"remover": "services.remover", "one": "single"}


def test_a_shell_finds_a_program_by_the_variables_that_the_project_says(project):
    (project / "localcloud.yaml").write_text(
        "stand_ins:\n"
        '  remover: {module: services.remover, variables: {URL: "{url}/of/{environment}", PLAIN: "{x}"}}\n'
        "  one: {module: single}\n"
    )

    assert stand_in_variables(project, "remover", url="http://127.0.0.1:1", environment="local") == {
        "URL": "http://127.0.0.1:1/of/local",
        "PLAIN": "{x}",
    }
    assert stand_in_variables(project, "one", url="http://127.0.0.1:1") == {}
    assert stand_in_variables(project, "of nobody", url="http://127.0.0.1:1") == {}


@pytest.mark.parametrize("content", [None, "", "# nothing yet\n", "stand_ins:\n", "stand_ins: {}\n"])
def test_a_project_that_names_none_has_none(project, content):
    if content is not None:
        (project / "localcloud.yaml").write_text(content)

    assert stand_in_modules(project) == {}


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        ("stand_ins: {remover", "is not YAML"),
        ("remover", "has something else than stand_ins"),
        ("standins: {}", "has something else than stand_ins"),
        ("stand_ins: [remover]", "stand_ins is not what it has to be"),
        (
            "stand_ins: {remover: services.remover}",
            "stand_ins.remover is not what it has to be: write `stand_ins: {",
        ),
        ("stand_ins: {remover: {modul: services.remover}}", "stand_ins.remover is not what it has to be"),
        ("stand_ins: {remover: {module: single, port: 1}}", "stand_ins.remover is not what it has to be"),
        ("stand_ins: {remover: {module: services}}", "stand_ins.remover.module is services, and"),
        (
            "stand_ins: {remover: {module: services.remove}}",
            "no such module, nor is it installed: correct its name",
        ),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence_that_names_it(project, content, mistake):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal) as refusal:
        stand_in_modules(project)

    assert str(refusal.value).startswith(str(project / "localcloud.yaml"))
    assert mistake in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_project_says_whose_credentials_are_at_hand_in_an_account(project):
    identities = "'111122223333': role/ops/deployer, '222233334444': 'role/acme-{environment}-deploy'"
    (project / "localcloud.yaml").write_text(f"identities: {{{identities}}}\n")

    def at_hand(stack, account):
        return identity_at_hand(project, stack, account, "aws")

    assert at_hand("prod.shared", "111122223333") == "arn:aws:iam::111122223333:role/ops/deployer"
    assert at_hand("prod.shared", "222233334444") == "arn:aws:iam::222233334444:role/acme-prod-deploy"
    assert at_hand("test", "222233334444") == "arn:aws:iam::222233334444:role/acme-test-deploy"
    assert at_hand("prod", "123456789012") == "arn:aws:iam::123456789012:user/laptop"
    assert at_hand("prod", "999999999999") is None


@pytest.mark.parametrize(
    "content",
    ["identities: {me: role/deployer}\n", "identities: {'111122223333': deployer}\n", "identities: [me]\n"],
)
def test_identities_that_are_none_are_refused(project, content):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal, match="identities"):
        identity_at_hand(project, "dev", "111122223333", "aws")


def test_a_project_says_for_which_architectures_its_images_exist(project):
    (project / "localcloud.yaml").write_text("images:\n  ghcr.io/x/*: [amd64, arm64]\n")

    assert image_architectures(project) == {"ghcr.io/x/*": ["amd64", "arm64"]}


@pytest.mark.parametrize("architectures", ["amd64", "[]", "[1]", "{amd64: yes}"])
def test_an_image_without_a_list_of_architectures_is_refused(project, architectures):
    (project / "localcloud.yaml").write_text(f"images: {{ghcr.io/x: {architectures}}}\n")

    with pytest.raises(Refusal, match=r"images\.ghcr\.io/x is not what it has to be"):
        image_architectures(project)


def test_this_projects_file_knows_every_image_that_the_platform_pulls():
    known = image_architectures(REPOSITORY)
    charts = catalog.read()
    pulled = {image for chart in charts.charts.values() for image in chart.pulls}

    for image in pulled | {charts.image(name) for name in charts.images}:
        assert exists_for(Reference.of(image), lambda account, region: None, known), image


def test_the_project_is_found_from_any_of_its_folders(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    assert project_folder(project / "services" / "remover") == project
    assert project_folder(project) == project
    assert project_folder(elsewhere) == elsewhere


def test_the_modules_that_this_project_names_are_there():
    assert stand_in_modules(REPOSITORY)


def test_a_project_says_what_its_programs_call_in_aws(project):
    (project / "localcloud.yaml").write_text(
        "calls:\n  '*/spark':\n    - {actions: ['s3:ListBucket'], resource: '*-staging', prefix: 'a/'}\n"
        "    - {actions: ['sts:GetCallerIdentity']}\n"
    )

    assert project_calls(project) == {
        "*/spark": [
            ProjectCall(actions=("s3:ListBucket",), resource="*-staging", prefix="a/"),
            ProjectCall(actions=("sts:GetCallerIdentity",)),
        ]
    }
    assert stand_in_modules(project) == {}


@pytest.mark.parametrize(
    "content",
    [
        "calls: {a/b: s3:GetObject}",
        "calls: {a/b: [s3:GetObject]}",
        "calls: {a/b: [{action: s3:GetObject}]}",
        "calls: {a/b: [{actions: s3:GetObject}]}",
        "calls: {a/b: [{actions: [1]}]}",
        "calls: {a/b: [{actions: ['s3:GetObject'], at: x}]}",
    ],
)
def test_calls_that_are_none_are_refused_with_the_form_that_they_have(project, content):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal, match=r"calls\.a/b is not what it has to be: write `calls: \{"):
        project_calls(project)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", REPEATED.values(), ids=REPEATED)
def test_a_file_that_expands_without_bound_is_refused_before_it_does(project, content):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal, match="has more than 20000 keys and values where its YAML aliases repeat"):
        stand_in_modules(project)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", WITHIN_ITSELF.values(), ids=WITHIN_ITSELF)
def test_a_file_that_contains_itself_is_refused(project, content):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal, match="or contains itself: remove aliases"):
        stand_in_modules(project)


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        ("[" * 5000, "is nested too deeply: keep only what it is for"),
        ("a: 2026-13-45", "is not YAML: month must be in 1..12"),
        ("a: " + "x" * 500_000, "has more than 500000 characters: keep only what it is for"),
    ],
    ids=["endless levels", "a date that is none", "a very large file"],
)
def test_a_file_that_nobody_writes_is_refused(project, content, mistake):
    (project / "localcloud.yaml").write_text(content)

    with pytest.raises(Refusal, match=mistake):
        stand_in_modules(project)


FROM_SETTINGS = 'deployer_network: {file: "stacks/{environment}.yaml", key: deployer_network}'


@pytest.mark.parametrize("stack", ["prod", "prod.spark-a"])
def test_a_project_says_from_where_up_of_a_stack_is_taken_to_run(project, stack):
    (project / "localcloud.yaml").write_text(FROM_SETTINGS)
    (project / "stacks").mkdir()
    (project / "stacks" / "prod.yaml").write_text("deployer_network: 10.250.16.0/24\n")

    assert deployer_network(project, stack) == IPv4Network("10.250.16.0/24")


def test_where_settings_name_no_place_it_may_run_anywhere_and_other_projects_say_nothing(project):
    assert deployer_network(project, "prod") is None
    (project / "localcloud.yaml").write_text(FROM_SETTINGS)
    assert deployer_network(project, "prod") == IPv4Network("0.0.0.0/0")


def test_a_place_that_is_no_network_is_refused_with_its_file(project):
    (project / "localcloud.yaml").write_text("deployer_network: {file: prod.yaml, key: deployer_network}")
    (project / "prod.yaml").write_text("deployer_network: the office\n")

    with pytest.raises(Refusal, match=r"prod.yaml: deployer_network is 'the office': write a network"):
        deployer_network(project, "prod")
    (project / "localcloud.yaml").write_text("deployer_network: 10.0.0.0/24")
    with pytest.raises(Refusal, match="deployer_network is not what it has to be"):
        deployer_network(project, "prod")
