"""What a bootstrap says at its end: what goes into the settings, the shell and GitHub."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from accounts.names import AccountNames, StateNames, deploy_environment, preview_environment
from stacks.settings import Environment

OIDC_NAME = """gh api repos/{repository} --jq '"\\(.owner.login)@\\(.owner.id)/\\(.name)@\\(.id)"'"""
"""Command that prints a repository as the subject of its tokens has it.

Source: https://docs.github.com/en/rest/repos/repos#get-a-repository
"""


def foundations(settings: Environment) -> dict[str, dict[str, str]]:
    """Foundation -> keys of it that name what was made."""
    keys = {}
    for name, foundation in settings.foundations.items():
        names = AccountNames(settings, foundation.account)
        keys[name] = {
            "deployer": names.deploy_role,
            "permissions_boundary": names.workload_boundary,
        }
    return keys if settings.ci else {}


def differences(settings: Environment) -> dict[str, dict[str, str]]:
    """The same, as far as the settings have something else."""
    return {
        name: missing
        for name, keys in foundations(settings).items()
        if (
            missing := {
                key: value for key, value in keys.items() if getattr(settings.foundations[name], key) != value
            }
        )
    }


def variables(settings: Environment) -> dict[str, dict[str, str]]:
    """GitHub environment -> its variables; none of them is a secret."""
    if settings.ci is None:
        return {}
    state = StateNames(settings)
    names = AccountNames(settings, state.foundation.account)
    shared = {"AWS_REGION": state.foundation.region, "PULUMI_BACKEND_URL": state.backend_url}
    return {
        deploy_environment(settings): {"AWS_ROLE": names.deploy_role, **shared},
        preview_environment(settings): {"AWS_ROLE": names.preview_role, **shared},
    }


def as_json(settings: Environment, stacks: Sequence[str]) -> Mapping[str, Any]:
    """All of it, for scripts."""
    state = StateNames(settings)
    return {
        "environment": settings.environment,
        "backend": state.backend_url,
        "secrets_provider": state.secrets_provider,
        "stacks": list(stacks),
        "foundations": foundations(settings),
        "github": {"repository": settings.ci.repository, "variables": variables(settings)}
        if settings.ci
        else None,
    }


def text(settings: Environment, stacks: Sequence[str]) -> str:
    """All of it, for people."""
    return "\n".join(_lines(settings, stacks))


def _lines(settings: Environment, stacks: Sequence[str]) -> Iterator[str]:
    state, environment = StateNames(settings), settings.environment
    yield f"The accounts of {environment} have what its first `up` needs."
    if missing := differences(settings):
        yield f"\nSet in stacks/{environment}.yaml:\n"
        yield "    foundations:"
        for name, keys in missing.items():
            yield f"      {name}:"
            yield from (f"        {key}: {value}" for key, value in keys.items())
    elif settings.ci:
        yield f"stacks/{environment}.yaml names the deploy role and the boundary already."
    yield "\nWhere `up` runs:\n"
    yield f"    export PULUMI_BACKEND_URL='{state.backend_url}'"
    yield "\nOnce for each stack; commit the file that it changes:\n"
    yield from (
        f"    pulumi stack init --secrets-provider='{state.secrets_provider}' {stack}" for stack in stacks
    )
    if settings.ci is None:
        yield f"\nNo roles for CI were made: stacks/{environment}.yaml has no `ci`."
        return
    for name, values in variables(settings).items():
        yield f"\nVariables of the GitHub environment {name} of {settings.ci.repository}:\n"
        yield from (f"    {key}={value}" for key, value in values.items())
    yield "\nVariable of the repository, where clusters have private API servers only:\n"
    yield "    MOKA_RUNNER=<label of runners that reach them>"
    yield (
        f"\nProtect {deploy_environment(settings)} there: reviewers, and the main branch as the only one "
        "that deploys to it. In private repositories GitHub has branches with Team, and reviewers with "
        "Enterprise only; with Free it has neither, and whoever pushes may deploy."
    )
    if not settings.ci.has_ids:
        yield (
            f"If GitHub made, renamed or transferred {settings.ci.repository} since July 15, 2026,\n"
            "its tokens have two ids that the roles do not trust: put what this prints into `ci`, and\n"
            "bootstrap again:\n"
        )
        yield f"    {OIDC_NAME.format(repository=settings.ci.repository)}"
