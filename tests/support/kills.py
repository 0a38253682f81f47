"""Updates of a stack that are killed at one moment after the other, each recovered from and begun again."""

import time

import psutil

from tests.support.cut_off import client, recover
from tests.support.pulumi_stack import PulumiStack

ONCE = {
    "networks": 1, "subnets": 2, "route tables": 1, "security groups": 1, "addresses": 2, "NAT gateways": 1,
    "launch templates": 1, "flow logs": 1, "keys": 2, "log groups": 1, "roles": 1, "buckets": 1,
}  # fmt: skip
"""What there is of the program, once it is up."""

VICTIMS = ("all", "engine")
"""What is killed: the engine with its plugins, or it only; these end what they were asked for."""


def killed(stack: PulumiStack, verb: str, writes: int, victim: str) -> bool:
    """Begin `up` or `destroy`, and kill it after so many writes of its state; False if it ended before."""
    path = stack.engine.state_file(stack.name).path
    process = stack.start(verb, "--yes", "--skip-preview")
    engine, last, count = psutil.Process(process.pid), path.stat().st_mtime_ns, 0
    while count < writes and process.poll() is None:
        written = path.stat().st_mtime_ns
        count, last = count + (written != last), written
        time.sleep(0.002)
    ended = process.poll() is not None
    family = [] if ended else engine.children(recursive=True)
    plugins = [p for p in family if "localcloud.plugins." in " ".join(p.cmdline())]
    hosts = [p for p in family if p not in plugins]
    # A program that lost its engine waits for it for ever.
    for one in {"all": [engine, *family], "engine": [engine, *hosts]}[victim]:
        if not ended:
            one.kill()
    process.communicate()
    # What was asked of a plugin is done to its end.
    psutil.wait_procs(plugins, timeout=90)
    return not ended


def survive(stack: PulumiStack, verb: str, moments: int) -> int:
    """`up` or `destroy`, killed at so many moments, until it comes to its end; how often it was killed."""
    for number in range(moments):
        if not killed(stack, verb, 2 + 5 * number % 7, VICTIMS[number % len(VICTIMS)]):
            return number
        recovered = recover(stack, "--yes")
        assert recovered.returncode == 0, recovered.stdout + recovered.stderr
    (stack.up if verb == "up" else stack.destroy)()
    return moments


def existing(stack: PulumiStack) -> dict[str, int]:
    """How many of each kind there are in AWS, but for what every account has."""
    ec2 = client(stack, "ec2")
    keys, logs = client(stack, "kms"), client(stack, "logs")
    mine = [{"Name": "tag:moka:stack", "Values": [stack.name]}]
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
