"""A login to ECR for Helm, which pulls charts from a private registry before anything else is known."""

import json
import tempfile
from functools import partial
from pathlib import Path

import pulumi
import pulumi_aws as aws

from moka.registries import ecr_host

FOLDER = Path(".local") / "registry-login"
"""In the project's folder, where programs and plugins both run, so that the path is the same everywhere."""


def registry_login(mirror: str, provider: aws.Provider) -> pulumi.Output[str] | None:
    """Path of a file with a login to a mirror in ECR, for `registry_config_path`; None for another mirror.

    Not a password in `repository_opts`: ECR gives another one each time, so every preview would show a change
    of every release; and `ignore_changes` has the engine check a release with the old one, which lives for 12
    hours (pulumi/pulumi: resource/deploy/step_generator.go). A path stays the same, and the state has no
    secret.
    """
    host = mirror.partition("/")[0]
    registry = ecr_host(host)
    if registry is None:
        return None
    token = aws.ecr.get_authorization_token_output(
        region=registry.region, opts=pulumi.InvokeOutputOptions(provider=provider)
    )
    return pulumi.Output.unsecret(token.authorization_token.apply(partial(write_login, host)))


def write_login(host: str, authorization: str, folder: Path = FOLDER) -> str:
    """Write a login, as Docker keeps it, for the owner only and in one step; the file's path.

    authorization: user and password as ECR gives them, in base64.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / f"{host}.json"
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as unfinished:
        json.dump({"auths": {host: {"auth": authorization}}}, unfinished)
    Path(unfinished.name).replace(file)
    return str(file)
