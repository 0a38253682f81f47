"""Helm releases whose programs call AWS."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from aws_rules.iam.permissions import CALLS, verdicts
from aws_rules.iam.programs import CHARTS, Call, Program
from aws_rules.rule import Unknown, Verdict
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.associations import account_role
from localcloud.plugins.aws.refusals.permissions.common import network_of, no_role, not_judged
from localcloud.store import other_places
from localcloud.unknowns import refuse


class ClusterRelease(NamedTuple):
    """A release as a stack deployed it; chart: its name only."""

    cluster: str
    chart: str
    namespace: str
    values: Mapping[str, Any]


def cluster_identities(cloud: Cloud, cluster: str) -> Identities | None:
    """IAM as the account of a cluster sees it; None where EKS does not have the cluster."""
    for account, region in other_places(cloud, ("", ""), "eks", "cluster", cluster):
        return Identities(account_api(cloud, AwsServer(cloud).url, account, region), region)
    return None


def refuse_unpermitted(
    cloud: Cloud, cluster: str, chart: str, namespace: str, values: Mapping[str, Any]
) -> None:
    """Refuse a release on a cluster of EKS whose program may not do what it calls."""
    iam = cluster_identities(cloud, cluster)
    if iam is not None:
        refuse(cloud, release_verdicts(iam, cluster, chart, namespace, values))


def release_verdicts(
    iam: Identities, cluster: str, chart: str, namespace: str, values: Mapping[str, Any]
) -> Iterator[Verdict]:
    """What the program of a Helm release is denied."""
    program, account = release_program(chart, values)
    if program is None:
        return
    title = f"release {chart} in {namespace} of {cluster}"
    if not account:
        yield Unknown(rule=CALLS, resource=title, lacks="its service account, which its values do not name")
        return
    try:
        role = account_role(iam, cluster, namespace, account)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=title, lacks=str(absent))
        return
    if role is None:
        yield no_role(title, program, f"{namespace}/{account}", "NoCredentialProviders", "")
        return
    vpc = network_of(iam, cluster)
    place = iam.cluster_place(cluster, vpc=vpc or "")
    yield from verdicts(
        CALLS, title, program, role, place, iam.surroundings(vpc), opening=f"{program.name} gets: "
    )
    yield from not_judged(iam, CALLS, title)


def release_program(chart: str, values: Mapping[str, Any]) -> tuple[Program | None, str]:
    """The program of a release that calls AWS, and its service account; None and nothing where none does."""
    chart_row = CHARTS.get(chart)
    program = chart_row.program if chart_row else _shipper(chart, values)
    account: Any = values
    for step in chart_row.service_account if chart_row else ("serviceAccount", "name"):
        account = account.get(step) if isinstance(account, Mapping) else None
    return program, str(account or "")


def _shipper(chart: str, values: Mapping[str, Any]) -> Program | None:
    """Fluent Bit, if it puts logs into S3, by the outputs in its values.

    Source: fluent/fluent-bit-docs: pipeline/outputs/s3.md.
    """
    if chart != "fluent-bit":
        return None
    variables = {
        variable["name"]: str(variable["value"])
        for variable in values.get("env") or ()
        if variable.get("value") is not None
    }
    calls = []
    for output in _outputs(values.get("config") or {}):
        if output.get("name") == "s3" and output.get("bucket"):
            bucket = _with_variables(output["bucket"], variables)
            folder = _with_variables(output.get("s3_key_format", "/fluent-bit-logs/$TAG"), variables)
            calls.append(
                Call(actions=("s3:PutObject",), resources=(f"arn:{{partition}}:s3:::{bucket}{folder}",))
            )
    if not calls:
        return None
    return Program(
        name="Fluent Bit", calls=tuple(calls), source="fluent/fluent-bit-docs: pipeline/outputs/s3.md"
    )


def _outputs(config: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Outputs of a configuration, in its classic form or in YAML, as names in small letters and values."""
    for section in str(config.get("outputs") or "").split("[OUTPUT]")[1:]:
        lines = [line.split(None, 1) for line in section.splitlines() if line.strip()]
        yield {line[0].lower(): line[1].strip() for line in lines if len(line) == 2}
    for name, text in (config.get("extraFiles") or {}).items():
        sections = yaml.load(text, Loader=yaml.CSafeLoader) if name.endswith((".yaml", ".yml")) else None
        for output in ((sections or {}).get("pipeline") or {}).get("outputs") or ():
            yield {key.lower(): str(value) for key, value in output.items()}


def _with_variables(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(f"${{{name}}}", value)
    # What only the pod knows is part of a key, whatever it is.
    return re.sub(r"\$\{[^}]*\}", "x", text)
