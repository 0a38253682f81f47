"""Updates of a stack that are killed at one moment after the other, each recovered from and begun again."""

import json
import time
from collections.abc import Callable, Iterable, Sequence

import psutil

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane
from localcloud.processes import Process
from tests.support.cut_off import client, recover
from tests.support.pulumi_stack import PulumiStack

ONCE = {
    "networks": 1, "subnets": 2, "route tables": 1, "security groups": 1, "addresses": 2, "NAT gateways": 1,
    "launch templates": 1, "flow logs": 1, "keys": 2, "log groups": 1, "roles": 1, "buckets": 1,
}  # fmt: skip
"""What there is of the network's program, once it is up."""

CLUSTER_ONCE = ONCE | {
    "roles": 2, "clusters": 1, "namespaces": 1, "config maps": 3, "service accounts": 1, "quotas": 1,
    "disruption budgets": 1, "services": 1, "kinds": 1, "releases": 1, "of the release": 3,
}  # fmt: skip
"""What there is of the program with a cluster, once it is up."""

Victims = Callable[[PulumiStack, psutil.Process], Sequence[psutil.Process]]
"""Stack and its engine -> what to kill; nothing before there is such a process."""


def plugins_of(engine: psutil.Process, name: str = "") -> list[psutil.Process]:
    """The plugins that an engine runs; by default all."""
    wanted = f"localcloud.plugins.{name}"
    return [process for process in engine.children(recursive=True) if wanted in " ".join(process.cmdline())]


def _engine(stack: PulumiStack, engine: psutil.Process) -> list[psutil.Process]:
    # A program that lost its engine waits for it for ever; plugins end what they were asked for.
    plugins = plugins_of(engine)
    return [engine, *(process for process in engine.children(recursive=True) if process not in plugins)]


def _all(stack: PulumiStack, engine: psutil.Process) -> list[psutil.Process]:
    return [engine, *engine.children(recursive=True)]


def _plugin(name: str) -> Victims:
    return lambda stack, engine: plugins_of(engine, name)


def _server(name: str) -> Victims:
    def victims(stack: PulumiStack, engine: psutil.Process) -> list[psutil.Process]:
        planes = [plane for plane in ControlPlane.all(stack.engine.cloud) if plane.alive()]
        return running(plane.process(name) for plane in planes)

    return victims


def _aws(stack: PulumiStack, engine: psutil.Process) -> list[psutil.Process]:
    return running([AwsServer(stack.engine.cloud).process])


def running(processes: Iterable[Process]) -> list[psutil.Process]:
    """Those that run, to kill them."""
    return [
        psutil.Process(json.loads(process.pid_file.read_text())["pid"])
        for process in processes
        if process.alive()
    ]


VICTIMS: dict[str, Victims] = {
    "engine and plugins": _all,
    "engine": _engine,
    "plugin of AWS": _plugin("aws"),
    "plugin of EKS": _plugin("eks"),
    "plugin of Kubernetes": _plugin("kubernetes"),
    "API server": _server("kube-apiserver"),
    "etcd": _server("etcd"),
}
"""What is killed, and `moka recover` with the same command again is the way out."""

AWS = "AWS"
"""The laptop's, a victim by itself: with it goes all that there is, so that there is nothing to recover."""

LEAVE_NOTES = ("engine and plugins", "engine")
"""Victims after whose death the state says what was under way."""


def _victims(victim: str) -> Victims:
    return _aws if victim == AWS else VICTIMS[victim]


def killed(stack: PulumiStack, verb: str, writes: int, victim: str) -> bool:
    """Begin `up` or `destroy`, and kill the victim after so many writes of the stack's state.

    False if it ended before.
    """
    path = stack.engine.state_file(stack.name).path
    process = stack.start(verb, "--yes", "--skip-preview")
    engine, last, count = psutil.Process(process.pid), path.stat().st_mtime_ns, 0
    victims: Sequence[psutil.Process] = ()
    plugins: list[psutil.Process] = []
    while not victims and process.poll() is None:
        written = path.stat().st_mtime_ns
        count, last = count + (written != last), written
        if count >= writes:
            try:
                plugins, victims = plugins_of(engine), _victims(victim)(stack, engine)
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.002)
    for one in victims:
        one.kill()
    process.communicate()
    # What was asked of a plugin is done to its end.
    psutil.wait_procs(plugins, timeout=90)
    return bool(victims)


def survive(
    stack: PulumiStack,
    verb: str,
    victims: Iterable[str],
    moment: Callable[[int], int] = lambda number: 2 + 5 * number % 7,
) -> list[str]:
    """`up` or `destroy`, killed for one victim after the other, until it comes to its end; the victims.

    moment: number of a kill -> after how many writes of the state it comes.
    """
    deaths = []
    for number, victim in enumerate(victims):
        if not killed(stack, verb, moment(number), victim):
            break
        deaths.append(victim)
        print(f"{verb}: {victim} killed", flush=True)
        come_back(stack, verb, victim)
    (stack.up if verb == "up" else stack.destroy)()
    return deaths


def come_back(stack: PulumiStack, verb: str, victim: str) -> None:
    """What docs/operations say is done after the death of a victim."""
    if victim == AWS:
        assert commands.down(stack.engine, stack.name, ()) == 0
        commands.create(stack.engine, stack.name)
        return
    commands.start(stack.engine)
    options = () if victim in LEAVE_NOTES or verb == "destroy" else ("--planned",)
    recovered = recover(stack, "--yes", *options)
    assert recovered.returncode == 0, f"{victim}, {verb}: {recovered.stdout}{recovered.stderr}"


def existing(stack: PulumiStack) -> dict[str, int]:
    """How many of each kind there are in AWS, but for what every account has."""
    ec2 = client(stack, "ec2")
    keys, logs = client(stack, "kms"), client(stack, "logs")
    mine = [{"Name": "tag:moka:environment", "Values": [stack.name]}]
    gateways = ec2.describe_nat_gateways(Filter=mine)["NatGateways"]
    enabled = [keys.describe_key(KeyId=key["KeyId"])["KeyMetadata"] for key in keys.list_keys()["Keys"]]
    things = {
        "networks": [vpc for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]],
        "subnets": ec2.describe_subnets(Filters=mine)["Subnets"],
        "route tables": ec2.describe_route_tables(Filters=mine)["RouteTables"],
        "security groups": ec2.describe_security_groups(Filters=mine)["SecurityGroups"],
        "addresses": ec2.describe_addresses()["Addresses"],
        "NAT gateways": [gateway for gateway in gateways if gateway["State"] != "deleted"],
        "launch templates": ec2.describe_launch_templates()["LaunchTemplates"],
        "flow logs": ec2.describe_flow_logs()["FlowLogs"],
        "keys": [key for key in enabled if key["KeyManager"] == "CUSTOMER" and key["Enabled"]],
        "log groups": logs.describe_log_groups()["logGroups"],
        "roles": client(stack, "iam").list_roles()["Roles"],
        "buckets": client(stack, "s3").list_buckets()["Buckets"],
    }
    return {kind: len(all) for kind, all in things.items()}


OBJECTS = {
    "namespaces": "/api/v1/namespaces",
    "config maps": "/api/v1/namespaces/jobs/configmaps",
    "service accounts": "/api/v1/namespaces/jobs/serviceaccounts",
    "quotas": "/api/v1/namespaces/jobs/resourcequotas",
    "disruption budgets": "/apis/policy/v1/namespaces/jobs/poddisruptionbudgets",
    "services": "/api/v1/namespaces/jobs/services",
    "kinds": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
}
"""Kind -> path of the objects that the program with a cluster has; they have one label."""


OF_HELM = (
    "/api/v1/namespaces/jobs/secrets",
    "/api/v1/namespaces/jobs/configmaps",
    "/apis/apps/v1/namespaces/jobs/deployments",
)
"""Paths of what Helm keeps of the program's release, and of what it makes for it."""


def existing_with_cluster(stack: PulumiStack) -> dict[str, int]:
    """The same, with the cluster and what the program has in it."""
    planes = ControlPlane.all(stack.engine.cloud)
    objects = {
        kind: [
            thing
            for plane in planes
            for thing in plane.api().list(path)
            if thing["metadata"].get("labels", {}).get("made-by") == "cut-off"
        ]
        for kind, path in OBJECTS.items()
    }
    of_helm = [thing["metadata"] for plane in planes for path in OF_HELM for thing in plane.api().list(path)]
    objects |= {
        # Each revision of a release is a Secret.
        "releases": {
            about["labels"]["name"] for about in of_helm if about.get("labels", {}).get("owner") == "helm"
        },
        "of the release": [about for about in of_helm if about["name"] == "hello"],
    }
    clusters = client(stack, "eks").list_clusters()["clusters"]
    return existing(stack) | {"clusters": len(clusters)} | {kind: len(all) for kind, all in objects.items()}
