"""What a bootstrap says to set."""

import re

from accounts import report
from localcloud.cloud import REPOSITORY
from stacks import settings


def parsed(change=lambda text: text):
    return settings.parse(change(settings.path_of("prod").read_text()), "stacks/prod.yaml")


def test_settings_that_name_the_roles_already_are_left_as_they_are():
    text = report.text(parsed(), ["prod.shared"])

    assert "stacks/prod.yaml names the deploy role and the boundary already." in text
    assert "Set in" not in text


def test_what_the_settings_lack_is_written_as_they_have_it():
    environment = parsed(lambda text: text.replace("role/acme-prod-deploy", "role/admin"))

    text = report.text(environment, ["prod.shared"])

    assert "      main:\n        deployer: arn:aws:iam::444455556666:role/acme-prod-deploy\n" in text
    assert "permissions_boundary" not in text


def test_every_stack_is_made_with_the_key():
    text = report.text(parsed(), ["prod.shared", "prod.batch-a"])

    for stack in ("prod.shared", "prod.batch-a"):
        assert (
            "pulumi stack init "
            "--secrets-provider='awskms://alias/acme-prod-state?region=us-east-1&awssdk=v2' "
            f"{stack}\n"
        ) in text


def test_github_s_environments_get_a_role_each_and_no_secret():
    variables = report.variables(parsed())

    assert {name: values["AWS_ROLE"].rpartition("/")[2] for name, values in variables.items()} == {
        "prod": "acme-prod-deploy",
        "prod-preview": "acme-prod-preview",
    }
    assert all(
        values.keys() == {"AWS_ROLE", "AWS_REGION", "PULUMI_BACKEND_URL"} for values in variables.values()
    )


def test_a_repository_without_ids_may_need_them_and_how_to_get_them_is_said():
    with_ids = parsed(lambda text: text.replace("acme/moka", "acme@1234567/moka@7654321"))

    without = report.text(parsed(), ["prod.shared"])
    assert without.endswith(
        """    gh api repos/acme/moka --jq '"\\(.owner.login)@\\(.owner.id)/\\(.name)@\\(.id)"'"""
    )
    text = report.text(with_ids, ["prod.shared"])
    assert "gh api" not in text
    assert "Variables of the GitHub environment prod of acme/moka:" in text
    assert report.as_json(with_ids, [])["github"]["repository"] == "acme/moka"


def test_without_ci_it_says_that_there_are_no_roles():
    environment = parsed(
        lambda text: "".join(line for line in text.splitlines(keepends=True) if not line.startswith("ci:"))
    )

    text = report.text(environment, ["prod.shared"])

    assert text.endswith("No roles for CI were made: stacks/prod.yaml has no `ci`.")
    assert "GitHub" not in text


def test_the_workflows_read_the_variables_that_it_names_and_run_in_the_environments_that_it_names():
    workflows = "".join(path.read_text() for path in (REPOSITORY / ".github" / "workflows").glob("*.yml"))
    variables = report.variables(parsed())

    read = set(re.findall(r"vars\.([A-Z_]+)", workflows)) - {"MOKA_RUNNER"}
    assert [values.keys() for values in variables.values()] == [read, read]
    assert list(variables) == ["prod", "prod-preview"]
    assert "environment: prod\n" in workflows
    assert "environment: ${{ matrix.environment }}-preview\n" in workflows
