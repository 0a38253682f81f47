"""Workflows of GitHub and the example for GitLab: steps are our commands, with no right too many."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from localcloud.cloud import REPOSITORY
from stacks import settings
from stacks.settings.reading import environments
from stacks.waves import rollout_order
from tests.unit.commands.test_documentation import TARGETS, VARIABLES, mistake_in

WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text()) for path in (REPOSITORY / ".github/workflows").glob("*.yml")
}
GITLAB_FILE = REPOSITORY / "examples/ci/gitlab-ci.yml"
GITLAB = yaml.safe_load(GITLAB_FILE.read_text())
JOBS = {(name, job): body for name, workflow in WORKFLOWS.items() for job, body in workflow["jobs"].items()}
STEPS = [(*job, step) for job, body in JOBS.items() for step in body.get("steps", [])]

NOT_DEPLOYED = {"local", "test"}
"""By a merge: one is the laptop's, the other is created and destroyed at will."""


def commands_in(text):
    """The calls of make and moka in lines of shell: their words."""
    for match in re.finditer(r"(?:^|[(;&|]|\bdo )\s*(make|\S*/moka) ([^|;&>)\n]*)", text, re.MULTILINE):
        yield Path(match[1]).name, shlex.split(match[2])


def calls_of_github():
    return [call for *_, step in STEPS if "run" in step for call in commands_in(step["run"])]


def calls_of_gitlab():
    scripts = [line for job in GITLAB.values() if isinstance(job, dict) for line in job.get("script", [])]
    return [call for line in scripts for call in commands_in(line)]


def mistake(program, words):
    if program == "moka":
        return mistake_in(words)
    target, *variables = words
    unknown = {word.partition("=")[0] for word in variables} - VARIABLES
    return None if target in TARGETS and not unknown else f"make {target} {unknown}"


@pytest.mark.parametrize("calls", [calls_of_github(), calls_of_gitlab()], ids=["GitHub", "GitLab"])
def test_every_step_is_a_command_of_ours_that_exists(calls):
    assert len(calls) >= 7
    assert [wrong for call in calls if (wrong := mistake(*call))] == []


def test_lines_of_shell_besides_only_hand_on_what_a_command_prints():
    lines = [line for *_, step in STEPS for line in step.get("run", "").splitlines()]

    assert {line for line in lines if not list(commands_in(line))} == {
        'echo "stacks=$stacks" >> "$GITHUB_OUTPUT"',
        'echo "commit=$(git rev-parse HEAD)" >> "$GITHUB_OUTPUT"',
    }


def test_gitlab_has_the_steps_of_github_but_for_what_is_told_to_githubs_pull_requests_and_issues():
    def steps(calls):
        return {(program, words[0]) for program, words in calls if words[0] != "github"}

    assert steps(calls_of_gitlab()) == steps(calls_of_github())


def test_make_ci_has_the_steps_of_a_pull_request():
    recipe = re.search(r"^ci: (.*) ##.*\n((?:\t.*\n)+)", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    of_pull_requests = {
        (program, words[0])
        for workflow, _, step in STEPS
        if workflow in ("checks", "preview")
        for program, words in commands_in(step.get("run", ""))
    } - {("make", "venv"), ("moka", "github"), ("moka", "profiles")}

    text = recipe[2].replace("$(MOKA)", "./moka").replace("$(MAKE) --no-print-directory", "make")
    steps = {("make", target) for target in recipe[1].split()}
    assert steps | {(program, words[0]) for program, words in commands_in(text)} == of_pull_requests


@pytest.mark.parametrize(("workflow", "job"), JOBS)
def test_a_job_may_write_or_become_a_role_but_not_both(workflow, job):
    permissions = JOBS[workflow, job]["permissions"]
    writes = {name for name, access in permissions.items() if access == "write"}

    assert WORKFLOWS[workflow]["permissions"] == {}
    assert writes in (set(), {"id-token"}, {"pull-requests"}, {"issues"})


def test_only_jobs_with_an_environment_become_a_role():
    of_roles = {key for key, job in JOBS.items() if "id-token" in job["permissions"] and "uses" not in job}

    assert of_roles == {("preview", "preview"), ("up", "up"), ("drift", "drift"), ("recover", "recover")}
    assert of_roles == {key for key, job in JOBS.items() if "environment" in job}
    deploying = {key for key in of_roles if not JOBS[key]["environment"].endswith("-preview")}
    assert deploying == {("up", "up"), ("recover", "recover")}


def test_nothing_of_a_fork_gets_near_a_role_or_a_private_runner():
    triggers = {name: set(workflow[True]) for name, workflow in WORKFLOWS.items()}  # YAML reads `on` as true

    assert not any({"pull_request_target", "workflow_run", "issue_comment"} & on for on in triggers.values())
    with_pulls = {name for name, on in triggers.items() if "pull_request" in on}
    assert with_pulls == {"audit", "checks", "preview"}
    assert JOBS["preview", "touched"]["if"] == (
        "github.event.pull_request.head.repo.full_name == github.repository"
    )
    assert {job["needs"] for name, job in WORKFLOWS["preview"]["jobs"].items() if name == "preview"} == {
        "touched"
    }
    for name in ("audit", "checks"):
        jobs = WORKFLOWS[name]["jobs"].values()
        assert {job["runs-on"] for job in jobs} == {"ubuntu-24.04"}
        assert [job["permissions"] for job in jobs] == [{"contents": "read"}] * len(jobs)


@pytest.mark.parametrize(("workflow", "job"), [key for key, job in JOBS.items() if "steps" in job])
def test_a_job_ends_and_its_checkout_leaves_no_token(workflow, job):
    body = JOBS[workflow, job]
    [checkout] = [step for step in body["steps"] if step.get("uses", "").startswith("actions/checkout@")]

    assert body["timeout-minutes"] > 0
    assert checkout["with"]["persist-credentials"] is False


def test_what_may_comment_runs_as_it_is_on_the_base_not_as_the_pull_request_has_it():
    checkout = JOBS["preview", "comment"]["steps"][0]

    assert checkout["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"


def test_an_up_is_never_cancelled_and_rollouts_come_one_after_the_other():
    assert JOBS["up", "up"]["concurrency"]["cancel-in-progress"] is False
    assert JOBS["deploy", "rollout"]["concurrency"] == {"group": "rollout", "cancel-in-progress": False}


def test_a_recovery_waits_for_the_up_of_its_environment_and_nothing_else_runs_beside_it():
    of_up, of_recovery = (JOBS[name, name]["concurrency"] for name in ("up", "recover"))

    assert of_recovery == of_up
    # Its own branch must not decide what runs as the role that deploys.
    assert JOBS["recover", "recover"]["steps"][0]["with"]["ref"] == "main"


def rolled_out(jobs):
    """Environment and wave of each job of a rollout, each after the one that it needs."""
    jobs = {name: job for name, job in jobs.items() if "with" in job}
    order, needs = [], ["commit"]
    while following := [name for name, job in jobs.items() if job["needs"] == needs]:
        order += following
        needs = ["commit", *following]
    assert len(order) == len(jobs)
    return [(jobs[name]["with"]["environment"], jobs[name]["with"].get("wave")) for name in order]


def test_a_rollout_takes_main_as_it_is_when_it_begins_for_all_of_its_jobs():
    jobs = WORKFLOWS["rollout"]["jobs"]

    assert jobs["commit"]["steps"][0]["with"]["ref"] == "main"
    assert {job["with"]["commit"] for job in jobs.values() if "with" in job} == {
        "${{ needs.commit.outputs.commit }}"
    }
    assert JOBS["up", "up"]["steps"][0]["with"]["ref"] == "${{ inputs.commit }}"


def test_a_rollout_goes_through_every_wave_of_every_environment_from_dev_to_prod():
    expected = [
        (environment, wave)
        for environment in ("dev", "staging", "prod")
        for wave in (settings.load(environment).waves or [None])
    ]

    assert rolled_out(WORKFLOWS["rollout"]["jobs"]) == expected
    assert {environment for environment, _ in expected} == {*environments()} - NOT_DEPLOYED
    in_gitlab = [
        (job["variables"]["ENVIRONMENT"], job["variables"].get("WAVE"))
        for job in GITLAB.values()
        if isinstance(job, dict) and "ENVIRONMENT" in job.get("variables", {})
    ]
    assert in_gitlab == expected


@pytest.mark.parametrize("environment", ["staging", "prod"])
def test_the_waves_of_an_environment_have_all_of_its_stacks(environment):
    loaded = settings.load(environment)
    stacks = [stack for wave in loaded.waves for stack in rollout_order(loaded, wave)]

    assert sorted(stacks) == sorted(rollout_order(loaded))


@pytest.mark.parametrize("job", ["drift", "issue"])
def test_drift_is_looked_for_in_every_environment_that_is_deployed(job):
    matrix = JOBS["drift", job]["strategy"]["matrix"]["environment"]

    assert {*matrix} == {*environments()} - NOT_DEPLOYED


def test_every_variable_of_a_repository_or_environment_is_in_the_documentation():
    text = "".join(path.read_text() for path in (REPOSITORY / ".github/workflows").glob("*.yml"))
    page = (REPOSITORY / "docs" / "delivery.md").read_text()

    assert {name for name in re.findall(r"vars\.(\w+)", text) if f"| `{name}` |" not in page} == set()
    assert "secrets." not in text
