"""Who may do what, refused where AWS and EKS do: roles, keys and buckets that programs and services need."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.subject import Subject
from localcloud.project import project_calls, project_folder
from localcloud.rules.iam import nodes, pod_identity
from localcloud.rules.iam.evaluation import Denial, Role, Service
from localcloud.rules.iam.permissions import (
    CALLS,
    Place,
    denied,
    dns_suffix,
    message,
    trusted,
    verdicts,
)
from localcloud.rules.iam.programs import (
    ACCESS_LOGS,
    ADDONS,
    CHARTS,
    CONTROL_PLANE,
    ENCRYPTED_COPIES,
    ENCRYPTED_LOGS,
    ENCRYPTED_SECRETS,
    ENCRYPTED_VOLUMES,
    NO_CALLS,
    PULL_THROUGH,
    Call,
    Program,
)
from localcloud.rules.rule import Rule, Unknown, Verdict, Violation
from localcloud.unknowns import refuse

SYSTEM_NAMESPACE = "kube-system"


def identities(subject: Subject) -> Identities:
    """IAM as a resource's account sees it."""
    return Identities(subject.api, subject.region)


# --- clusters, and node groups ---


def cluster_role(subject: Subject) -> None:
    """Refuse a cluster whose role EKS cannot take, or that may not do what a control plane does."""
    refuse(subject.api.cloud, _cluster_role(subject))


def _cluster_role(subject: Subject) -> Iterator[Verdict]:
    iam, properties = identities(subject), subject.properties
    name, arn = f"EKS cluster {properties['name']}", properties["roleArn"]
    keys = [one["provider"]["keyArn"] for one in _as_list(properties.get("encryptionConfig"))]
    try:
        trust, role = iam.trust(arn), iam.role(arn)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=name, lacks=str(absent))
        return
    if trusted(arn, trust, "eks.amazonaws.com", ["sts:AssumeRole"]):
        yield Violation(
            rule=CALLS,
            resource=name,
            code="InvalidParameterException",
            message=f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted "
            "entity is not correct",
            remedy=f"let eks.amazonaws.com take {role.name} (sts:AssumeRole) in its trust policy",
        )
        return
    place = iam.cluster_place(properties["name"], **({"key": keys[0]} if keys else {}))
    more = (ENCRYPTED_SECRETS,) if keys else ()
    program = _with_calls(CONTROL_PLANE, more)
    yield from verdicts(CALLS, name, program, role, place, iam.surroundings())
    yield from _missing(iam, CALLS, name)


def group_verdicts(iam: Identities, group: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the machines of a node group, as EKS describes it, from joining."""
    cluster, name = group["clusterName"], f"node group {group['nodegroupName']} of {group['clusterName']}"
    eks = iam.api.service("eks", iam.region)
    vpc = eks.describe_cluster(name=cluster)["cluster"]["resourcesVpcConfig"].get("vpcId")
    place, around = iam.cluster_place(cluster, vpc=vpc or ""), iam.surroundings(vpc)
    data = template_data(iam, group)
    addons = {addon["addonName"]: addon for addon in eks.store.all("addon", cluster)}
    try:
        cni = addon_role(iam, cluster, "vpc-cni", addons.get("vpc-cni"))
        yield from nodes.may_join(
            name,
            iam.role(group["nodeRole"]),
            iam.trust(group["nodeRole"]),
            place,
            around,
            names_by_instance_id=_names_by_instance_id(data),
            pod_identity="eks-pod-identity-agent" in addons,
            cni_identity=cni is not None or "vpc-cni" not in addons,
        )
        if cni is not None:
            yield from nodes.cni_may(name, cni, place, around)
    except Absent as absent:
        yield Unknown(rule=nodes.NODE_PERMISSIONS, resource=name, lacks=str(absent))
    yield from _missing(iam, nodes.NODE_PERMISSIONS, name)
    yield from _volumes(iam, name, data)


def _volumes(iam: Identities, name: str, data: Mapping[str, Any]) -> Iterator[Verdict]:
    """Whether Auto Scaling may use the keys of a launch template's volumes."""
    disks = [device.get("Ebs") or {} for device in data.get("BlockDeviceMappings") or ()]
    for key in sorted({disk["KmsKeyId"] for disk in disks if str(disk.get("KmsKeyId")).startswith("arn:")}):
        service = "aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
        role = Role(
            arn=f"arn:{iam.api.partition}:iam::{iam.api.account}:role/{service}", session="AutoScaling"
        )
        place = Place(iam.region, iam.api.account, iam.api.partition, more={"key": key})
        yield from verdicts(
            nodes.NODE_PERMISSIONS,
            name,
            ENCRYPTED_VOLUMES,
            role,
            place,
            iam.surroundings(),
            code="AsgInstanceLaunchFailures",
            opening="Could not launch instances. Client.InternalError: Client error on launch; ",
        )


def template_data(iam: Identities, group: Mapping[str, Any]) -> dict[str, Any]:
    """Data of a node group's launch template, in the version that the group has."""
    template = group.get("launchTemplate") or {}
    if "id" not in template:
        return {}
    answer = iam.api.client("ec2", iam.region).describe_launch_template_versions(
        LaunchTemplateId=template["id"], Versions=[str(template.get("version", "$Default"))]
    )
    data: dict[str, Any] = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def _names_by_instance_id(data: Mapping[str, Any]) -> bool:
    from localcloud.control_plane.nodeadm import settings_of_user_data

    return bool(data.get("UserData")) and settings_of_user_data(data["UserData"]).names_by_instance_id


# --- add-ons, associations, releases ---


def addon_permissions(subject: Subject) -> None:
    """Refuse an add-on whose pods could not do their work."""
    addon = subject.request(
        "describe_addon",
        clusterName=subject.properties["clusterName"],
        addonName=subject.properties["addonName"],
    )["addon"]
    refuse(subject.api.cloud, addon_verdicts(identities(subject), addon))


def addon_verdicts(iam: Identities, addon: Mapping[str, Any]) -> Iterator[Verdict]:
    """What makes an add-on unhealthy. Those on every node are judged with the nodes."""
    cluster, name = addon["clusterName"], addon["addonName"]
    title = f"add-on {name} of {cluster}"
    known = ADDONS.get(name)
    if known is None:
        if name not in NO_CALLS:
            yield Unknown(rule=CALLS, resource=title, lacks=f"what add-on {name} calls")
        return
    if known.on_node:
        return
    unhealthy = "The add-on is unhealthy because it doesn't have the desired number of replicas; "
    try:
        role = addon_role(iam, cluster, name, addon)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=title, lacks=str(absent))
        return
    if role is None:
        yield _no_role(
            title,
            known.program,
            f"{SYSTEM_NAMESPACE}/{known.service_account}",
            "InsufficientNumberOfReplicas",
            unhealthy,
        )
        return
    yield from verdicts(
        CALLS,
        title,
        known.program,
        role,
        iam.cluster_place(cluster),
        iam.surroundings(_vpc(iam, cluster)),
        code="InsufficientNumberOfReplicas",
        opening=f"{unhealthy}{known.program.name} gets: ",
    )
    yield from _missing(iam, CALLS, title)


def addon_role(iam: Identities, cluster: str, name: str, addon: Mapping[str, Any] | None) -> Role | None:
    """The role of an add-on's service account; None where it has none. Raises Absent."""
    account = ADDONS[name].service_account
    role = account_role(iam, cluster, SYSTEM_NAMESPACE, account)
    if role is None and addon and addon.get("serviceAccountRoleArn"):
        return iam.role(addon["serviceAccountRoleArn"])
    return role


def account_role(iam: Identities, cluster: str, namespace: str, account: str) -> Role | None:
    """A session of the pods of a service account; None without an association. Raises Absent."""
    for association in associations(iam, cluster):
        if (association["namespace"], association["serviceAccount"]) == (namespace, account):
            return association_role(iam, association)
    return None


def associations(iam: Identities, cluster: str) -> list[dict[str, Any]]:
    """The Pod Identity associations of a cluster, as EKS describes them."""
    return list(iam.api.service("eks", iam.region).store.all("podidentityassociation", cluster))


def association_role(iam: Identities, association: Mapping[str, Any]) -> Role:
    """A session of an association's pods. Raises Absent."""
    if association.get("targetRoleArn"):
        raise Absent("what a target role may do, which EKS takes by way of the role")
    return iam.role(
        association["roleArn"],
        tags=pod_identity.session_tags(association, iam.cluster_place(association["clusterName"])),
        session_policy=json.loads(association["policy"]) if association.get("policy") else None,
    )


def association_permissions(subject: Subject) -> None:
    """Refuse an association whose role EKS could not take, or that does not let its pods do their work."""
    properties = subject.properties
    association = {name: properties.get(name) for name in ASSOCIATION_PROPERTIES if properties.get(name)}
    refuse(subject.api.cloud, association_verdicts(identities(subject), association))


ASSOCIATION_PROPERTIES = (
    "clusterName",
    "disableSessionTags",
    "namespace",
    "policy",
    "roleArn",
    "serviceAccount",
    "targetRoleArn",
)


def association_verdicts(iam: Identities, association: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the pods of an association from credentials, and from the calls that the project tells."""
    title, cluster = pod_identity.association_name(association), association["clusterName"]
    try:
        trust, role = iam.trust(association["roleArn"]), association_role(iam, association)
    except Absent as absent:
        yield Unknown(rule=pod_identity.POD_IDENTITY, resource=title, lacks=str(absent))
        return
    place = iam.cluster_place(
        cluster, namespace=association["namespace"], service_account=association["serviceAccount"]
    )
    taken = list(pod_identity.may_be_taken(association, trust, place))
    yield from taken
    if any(isinstance(verdict, Violation) for verdict in taken):
        return
    for program in told_programs(association):
        yield from _told(iam, title, program, role, place)
    yield from _missing(iam, CALLS, title)


def told_programs(association: Mapping[str, Any]) -> Iterator[Program]:
    """Programs of the project that run by an association's service account, by its `localcloud.yaml`."""
    account = f"{association['namespace']}/{association['serviceAccount']}"
    for pattern, calls in project_calls(project_folder(Path.cwd())).items():
        if fnmatchcase(account, pattern):
            yield Program(
                name=f"what runs as {pattern}",
                calls=tuple(
                    Call(
                        actions=call.actions,
                        resources=(call.resource,),
                        context={"s3:prefix": call.prefix} if call.prefix else {},
                    )
                    for call in calls
                ),
                source="localcloud.yaml",
            )


def _told(iam: Identities, title: str, program: Program, role: Role, place: Place) -> Iterator[Verdict]:
    """What a program of the project is denied. A bucket that it names by a pattern is any that fits."""
    around = iam.surroundings(_vpc(iam, place.cluster))
    for call in program.calls:
        candidates = list(_in_buckets(iam, call, place))
        if not candidates:
            yield Unknown(
                rule=CALLS,
                resource=title,
                lacks=f"a bucket {call.resources[0]}, which this AWS does not have",
            )
            continue
        found: list[list[Verdict]] = []
        for candidate in candidates:
            one = Program(name=program.name, calls=(candidate,), source=program.source)
            found.append(list(verdicts(CALLS, title, one, role, place, around)))
        yield from min(found, key=lambda one: sum(isinstance(verdict, Violation) for verdict in one))


def _in_buckets(iam: Identities, call: Call, place: Place) -> Iterator[Call]:
    """A call in each bucket that fits the pattern that it names; as it is where it names no bucket."""
    [pattern] = call.resources
    if pattern == "*" or pattern.startswith("arn:"):
        yield call
        return
    wanted, slash, key = pattern.format_map(place.texts).partition("/")
    for bucket in iam.buckets():
        if fnmatchcase(bucket, wanted):
            arn = f"arn:{place.partition}:s3:::{bucket}{slash}{key}"
            yield Call(actions=call.actions, resources=(arn,), context=call.context)


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
        yield _no_role(title, program, f"{namespace}/{account}", "NoCredentialProviders", "")
        return
    vpc = _vpc(iam, cluster)
    place = iam.cluster_place(cluster, vpc=vpc or "")
    yield from verdicts(
        CALLS, title, program, role, place, iam.surroundings(vpc), opening=f"{program.name} gets: "
    )
    yield from _missing(iam, CALLS, title)


def release_program(chart: str, values: Mapping[str, Any]) -> tuple[Program | None, str]:
    """The program of a release that calls AWS, and its service account; None and nothing where none does."""
    known = CHARTS.get(chart)
    program = known.program if known else _shipper(chart, values)
    account: Any = values
    for step in known.service_account if known else ("serviceAccount", "name"):
        account = account.get(step) if isinstance(account, Mapping) else None
    return program, str(account or "")


def _no_role(title: str, program: Program, account: str, code: str, opening: str) -> Violation:
    return Violation(
        rule=CALLS,
        resource=title,
        code=code,
        message=f"{opening}{program.name} gets: no valid providers in chain, as there is no Pod Identity "
        f"association of {account}, and a pod is a hop too far from its node to have that's role",
        remedy=f"associate {account} with a role, before its pods start",
    )


def _shipper(chart: str, values: Mapping[str, Any]) -> Program | None:
    """Fluent Bit, if it puts logs into S3, by the outputs in its values.

    Source: fluent/fluent-bit-docs: pipeline/outputs/s3.md.
    """
    if chart != "fluent-bit":
        return None
    variables = {
        one["name"]: str(one["value"]) for one in values.get("env") or () if one.get("value") is not None
    }
    calls = []
    for output in _outputs(str((values.get("config") or {}).get("outputs") or "")):
        if output.get("name") == "s3" and output.get("bucket"):
            bucket = _filled(output["bucket"], variables)
            folder = _filled(output.get("s3_key_format", "/fluent-bit-logs/$TAG"), variables)
            calls.append(
                Call(actions=("s3:PutObject",), resources=(f"arn:{{partition}}:s3:::{bucket}{folder}",))
            )
    if not calls:
        return None
    return Program(
        name="Fluent Bit", calls=tuple(calls), source="fluent/fluent-bit-docs: pipeline/outputs/s3.md"
    )


def _outputs(text: str) -> Iterator[dict[str, str]]:
    """The sections of outputs, as names in small letters and values."""
    for section in text.split("[OUTPUT]")[1:]:
        lines = [line.split(None, 1) for line in section.splitlines() if line.strip()]
        yield {line[0].lower(): line[1].strip() for line in lines if len(line) == 2}


def _filled(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(f"${{{name}}}", value)
    # What only the pod knows is part of a key, whatever it is.
    return re.sub(r"\$\{[^}]*\}", "x", text)


# --- services that use keys and buckets ---


def log_group_key(subject: Subject) -> None:
    """Refuse a log group with a key that CloudWatch Logs may not use."""
    key = subject.properties.get("kmsKeyId")
    if not key:
        return
    iam, name = identities(subject), subject.properties["name"]
    group = f"arn:{iam.api.partition}:logs:{iam.region}:{iam.api.account}:log-group:{name}"
    place = Place(iam.region, iam.api.account, iam.api.partition, more={"key": key, "log_group": group})
    service = Service(name=f"logs.{iam.region}.{dns_suffix(iam.api.partition)}")
    words = f"The specified KMS key does not exist or is not allowed to be used with Arn '{group}'"
    title = f"log group {name}"
    refuse(
        subject.api.cloud,
        _service_verdicts(CALLS, title, service, ENCRYPTED_LOGS, place, iam, "AccessDeniedException", words),
    )


def copies_role(subject: Subject) -> None:
    """Refuse a creation template by whose role ECR could not make repositories for copies."""
    arn = subject.properties.get("customRoleArn")
    if arn and "PULL_THROUGH_CACHE" in (subject.properties.get("appliedFors") or ()):
        refuse(subject.api.cloud, _copies_role(identities(subject), subject.properties, arn))


def _copies_role(iam: Identities, properties: Mapping[str, Any], arn: str) -> Iterator[Verdict]:
    name = f"repository creation template {properties['prefix']}"
    keys = [one["kmsKey"] for one in properties.get("encryptionConfigurations") or () if one.get("kmsKey")]
    try:
        trust, role = iam.trust(arn), iam.role(arn)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=name, lacks=str(absent))
        return
    opening = "the first pull of an image gets: name unknown: the repository could not be made; "
    if why := trusted(arn, trust, "ecr.amazonaws.com", ["sts:AssumeRole"]):
        yield Violation(
            rule=CALLS,
            resource=name,
            code="RepositoryNotFoundException",
            message=f"{opening}ecr.amazonaws.com is not authorized to perform: sts:AssumeRole on resource: "
            f"{arn} {why.because('sts:AssumeRole')}",
            remedy=f"let ecr.amazonaws.com take {role.name} (sts:AssumeRole) in its trust policy",
        )
        return
    place = Place(
        iam.region,
        iam.api.account,
        iam.api.partition,
        more={"prefix": properties["prefix"], **({"key": keys[0]} if keys else {})},
    )
    program = _with_calls(PULL_THROUGH, (ENCRYPTED_COPIES,) if keys else ())
    yield from verdicts(
        CALLS,
        name,
        program,
        role,
        place,
        iam.surroundings(),
        code="RepositoryNotFoundException",
        opening=opening,
    )


def takes_access_logs(iam: Identities, bucket: str, target: str, prefix: str) -> Denial | None:
    """Why S3 could not deliver the access logs of a bucket; None where it could."""
    place = Place(
        iam.region,
        iam.api.account,
        iam.api.partition,
        more={"bucket": bucket, "target": target, "prefix": prefix},
    )
    service = Service(name="logging.s3.amazonaws.com")
    found, _ = denied(service, ACCESS_LOGS.calls, place, iam.surroundings())
    return found[0].denial if found else None


def flow_log_bucket(subject: Subject) -> None:
    """Refuse a flow log whose bucket denies it: what the bucket's policy only lacks, AWS adds by itself."""
    arn = str(subject.properties.get("logDestination") or "")
    if subject.properties.get("logDestinationType") != "s3" or not arn:
        return
    iam = identities(subject)
    bucket = arn.split(":::")[-1].partition("/")[0]
    account, region = iam.api.account, iam.region
    delivery = Service(name=f"delivery.logs.{dns_suffix(iam.api.partition)}")
    call = Call(
        actions=("s3:PutObject",),
        resources=(f"arn:{{partition}}:s3:::{bucket}/AWSLogs/{account}/vpcflowlogs/{region}/a",),
        context={
            "aws:SourceAccount": account,
            "aws:SourceArn": f"arn:{{partition}}:logs:{region}:{account}:*",
            "s3:x-amz-acl": "bucket-owner-full-control",
        },
    )
    found, _ = denied(delivery, [call], iam.place, iam.surroundings())
    refuse(
        subject.api.cloud,
        [
            Violation(
                rule=CALLS,
                resource=f"flow log to {bucket}",
                code="400",
                message=f"Access Denied for LogDestination: {bucket}. Please check LogDestination "
                f"permission: {message(delivery, one.request, one.denial)}",
                remedy=f"let {delivery.name} put objects under AWSLogs/ in the policy of the bucket",
            )
            for one in found
            if one.denial.explicit
        ],
    )


def _service_verdicts(
    rule: Rule,
    title: str,
    service: Service,
    program: Program,
    place: Place,
    iam: Identities,
    code: str,
    words: str,
) -> Iterator[Verdict]:
    found, undecided = denied(service, program.calls, place, iam.surroundings())
    for lacks in sorted(set(undecided)):
        yield Unknown(rule=rule, resource=title, lacks=lacks)
    if found:
        one = found[0]
        yield Violation(
            rule=rule,
            resource=title,
            code=code,
            message=f"{words}: {message(service, one.request, one.denial)}",
            remedy=f"let {service.name} use it in the policy of {one.request.resource.arn} "
            f"({program.source})",
        )


def _missing(iam: Identities, rule: Rule, title: str) -> Iterator[Unknown]:
    """What was judged without a boundary that the program does not make."""
    for lacks in sorted(iam.missing):
        yield Unknown(rule=rule, resource=title, lacks=lacks)


def _with_calls(program: Program, more: Iterable[Call]) -> Program:
    return Program(name=program.name, calls=(*program.calls, *more), source=program.source)


def _vpc(iam: Identities, cluster: str) -> str | None:
    described = iam.api.service("eks", iam.region).describe_cluster(name=cluster)["cluster"]
    vpc: str | None = described["resourcesVpcConfig"].get("vpcId")
    return vpc


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value] if value else []
