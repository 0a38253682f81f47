"""Every key of docs/settings.md, and what AWS, EKS, Kubernetes or YuniKorn say of its odd values.

Mistakes in what values are to each other are in `checks/`, those of types in `test_settings_refused.py`.
"""

import re
from pathlib import Path

import pytest
import yaml

from stacks import settings
from stacks.settings import reading
from stacks.settings.page import page
from tests.support.wrong_settings import OTHER_FOUNDATION, REMOVED, Changes, changed

CLUSTER, MAIN = "clusters.spark-a", "foundations.main"
GROUPS, NETWORK = f"{CLUSTER}.node_groups", f"{MAIN}.network"
ARM, AMD, SHUFFLE = f"{GROUPS}.executor-arm64", f"{GROUPS}.executor-amd64", f"{CLUSTER}.shuffle"
DRIVER = f"{GROUPS}.driver-arm64"
JOBS = "job_namespaces.spark-jobs"
FINALIZER = "services.driver_finalizer.image"
ACCOUNT = "123456789012"
ECR = f"{ACCOUNT}.dkr.ecr"
DIGEST = "sha256:" + "0a" * 32
KEY = "arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
SECRET = f"secretsmanager:us-east-1:{ACCOUNT}:secret"
CACHE = f"arn:aws:{SECRET}:ecr-pullthroughcache/docker-AbCdEf"
SUBNETS = {"us-east-1a": "subnet-0123456789abcdef0", "us-east-1b": "subnet-0123456789abcdef1"}
AMI = "ami-0123456789abcdef0"
CRON = f"{ARM}.schedule.night.cron"
FAST = {"gib": 2500, "iops": 8000, "mibps": 2000}
OLD = {"ami_release": "1.33.4-20261105"}


def access(**entry: object) -> Changes:
    """An access entry for someone, with a change."""
    return {f"{CLUSTER}.access": {"someone": {"principal": ROLE, "policy": "view", **entry}}}


ROLE = f"arn:aws:iam::{ACCOUNT}:role/someone"


WORKSPACE = f"arn:aws:aps:us-east-1:{ACCOUNT}:workspace/ws-0a1b2c3d"


def destination(**change: object) -> Changes:
    """Another place where metrics go."""
    return {"metrics": {"destination": change}}


CERTIFICATE = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"


def login(**change: object) -> Changes:
    """A login with a change."""
    whole = {"issuer": "https://id.example", "client_id": "moka", "secret": "moka/login", **change}
    return {"ingress": {"login": whole}, f"{MAIN}.certificates": {"arns": [CERTIFICATE]}}


def claims(**claim):
    return {f"{JOBS}.claims": [claim]}


def archer(**change: object) -> Changes:
    """Archer, with a change."""
    return {"archer": {"authentication": {"iam": {}}, **change}}


def oidc(**change: object) -> Changes:
    """Tokens of an issuer for Archer, with a change."""
    tokens = {"issuer": "https://id.example", "audience": "archer", **change}
    return {
        **archer(authentication={"oidc": tokens}),
        f"{MAIN}.certificates": {"arns": [CERTIFICATE]},
    }


def proxy(**change: object) -> Changes:
    """A proxy that Archer trusts, with a change."""
    whole = {"certificate_name": "portal.example", "secret": "tls", "namespace": "portal", **change}
    return archer(authentication={"proxy": whole})


def right(**change: object) -> Changes:
    """A right, with a change."""
    return archer(rights={"some": {"who": ["group:data"], "may": ["see"], **change}})


def database(**change: object) -> Changes:
    """A database with a change."""
    return {"database": {"instances": 1, **change}}


def bootstrap(**change: object) -> Changes:
    """A DaemonSet that nodes wait for, with a change."""
    daemon = {"image": "registry.example/fuse:1", "ready": ["true"], **change}
    return {f"{CLUSTER}.bootstrap": {"fuse": daemon}}


def night(cron: str) -> Changes:
    """A schedule with a change, and the one that ends it."""
    end = {"cron": "59 23 31 12 *", "minimum": 0}
    return {f"{ARM}.schedule": {"night": {"cron": cron, "minimum": 1}, "end": end}}


def bounds(at: str = "", day: object = None, **night: int) -> Changes:
    """A schedule that sets bounds at night, and others by day."""
    by_day = day or {"cron": "0 7 * * *", "minimum": 0, "maximum": 8 if not at else 4}
    return {f"{at or ARM}.schedule": {"night": {"cron": "0 20 * * *", **night}, "day": by_day}}


def registry(**change: object) -> Changes:
    """A registry with a change."""
    return {"registry": {"foundation": "main", **change}}


def existing(**change: object) -> Changes:
    """An existing network with a change."""
    network = {"vpc": "vpc-0123456789abcdef0", "private_subnets": SUBNETS, **change}
    return {f"{MAIN}.existing_network": network}


def values(release: str, **override: object) -> Changes:
    """Other values of a release."""
    return {"charts": {"values": {release: override}}}


def rolled(**strategy: object) -> Changes:
    """Fluent Bit's DaemonSet with another update strategy."""
    return values("fluent-bit", updateStrategy=strategy)


def image(reference: str) -> Changes:
    """Another image of the driver finalizer."""
    return {"services": {"driver_finalizer": {"image": reference}}}


def plans_of_the_night(**change: object) -> Changes:
    """Plans that are made otherwise."""
    return {"allocation": {"night": change}}


def uses(bucket: str, key: str = KEY, **change: object) -> Changes:
    """Data of another environment."""
    return used(prod={"bucket": bucket, "key": key, **change})


def used(**buckets: object) -> Changes:
    """Buckets that jobs read, by name; `_` stands for a dash."""
    by_name = {name.replace("_", "-"): bucket for name, bucket in buckets.items()}
    return {"uses": by_name, f"{JOBS}.uses": dict.fromkeys(by_name, "read")}


def tables(warehouse: str = "s3a://lake/warehouse/", **kind: object) -> Changes:
    """A metastore of jobs, on a bucket that they use."""
    return {
        **used(lake={"bucket": "lake"}),
        "metastores": {"company": {"warehouse": warehouse, **kind}},
        f"{JOBS}.metastore": "company",
    }


def thrift(**change: object) -> Changes:
    """Hive's own server, with a change."""
    return tables(thrift={"addresses": ["thrift://hive.example:9083"], "namespace": "hive", **change})


def glue(**change: object) -> Changes:
    """Glue's catalog, with a change."""
    return tables(glue={"databases": ["sales"], **change})


def egress(**change: object) -> Changes:
    """A place that jobs may connect to."""
    return {JOBS: {"egress": {"hive": {"ports": [9083], "cidrs": ["10.0.0.0/8"], **change}}}}


def grafana(**managed: object) -> Changes:
    """Amazon Managed Grafana."""
    write = {"workspace": WORKSPACE}
    return {"metrics": {"destination": {"remote_write": write}, "managed_grafana": managed}}


IN_CHINA = {
    **OTHER_FOUNDATION,
    "region": "cn-north-1",
    "assume": True,
    "deployer": "arn:aws-cn:iam::210987654321:role/deployer",
    "network": {"cidr": "10.1.0.0/16", "zones": ["cn-north-1a", "cn-north-1b"]},
}

# Key in docs/settings.md -> changes of stacks/local.yaml, and what is said.
REFUSED: dict[str, list[tuple[Changes, str]]] = {
    "environment": [
        ({"environment": "local_1"}, "environment: is 'local_1'; write lower case, digits and dashes"),
    ],
    "ci.github": [
        ({"ci.github": "moka"}, "ci.github: is 'moka'; write <owner>/<repository> or <owner>@<id>"),
        ({"ci.github": "acme/*"}, "ci.github: is 'acme/*'; write <owner>/<repository> or <owner>@<id>"),
        ({"ci.github": "*/moka"}, "ci.github: is '*/moka'; write <owner>/<repository> or <owner>@<id>"),
        ({"ci.github": "acme@1/moka"}, "ci.github: is 'acme@1/moka'; write <owner>/<repository> or"),
        ({"ci.github": "acme/moka@2"}, "ci.github: is 'acme/moka@2'; write <owner>/<repository> or"),
        ({"ci.github": "acme@*/moka@2"}, "ci.github: is 'acme@*/moka@2'; write <owner>/<repository> or"),
        ({"ci.github": "a:b/c"}, "ci.github: is 'a:b/c'; write <owner>/<repository> or <owner>@<id>"),
    ],
    "ci.people": [
        (
            {"ci.github": "acme/moka", "ci.people": ["arn:aws:iam::123456789012:root"]},
            "ci.people.0: is 'arn:aws:iam::123456789012:root'; write arn:aws:iam::<account>:role/<name>",
        ),
        (
            {"ci.github": "acme/moka", "ci.people": ["*"]},
            "ci.people.0: is '*'; write arn:aws:iam::<account>:role/<name>",
        ),
    ],
    "organization": [
        ({"organization": "sthree"}, "organization: is 'sthree', but S3 takes no bucket whose name begins"),
        ({"organization": "xn--moka"}, "organization: is 'xn--moka', but S3 takes no bucket whose name"),
        ({"organization": "amzn-s3-demo"}, "is 'amzn-s3-demo', but S3 takes no bucket whose name begins"),
        (
            {"organization": "mo--ka", **registry(repositories=["spark"])},
            "registry.repositories: would be under 'mo--ka-local', but ECR takes no two dashes beside",
        ),
    ],
    "domain": [
        ({"domain": "https://spark.example"}, "domain: is 'https://spark.example'; write a domain such as"),
        ({"domain": "Spark.example.com"}, "domain: is 'Spark.example.com'; write a domain such as"),
        ({"domain": "spark_1.example.com"}, "domain: is 'spark_1.example.com'; write a domain such as"),
        ({"domain": "*.example.com"}, "domain: is '*.example.com'; write a domain such as"),
        ({"domain": "10.0.0.1"}, "domain: is '10.0.0.1'; write a domain such as"),
        ({"domain": "localhost"}, "domain: is 'localhost'; write a domain such as"),
        ({"domain": f"{'a' * 64}.example"}, "at most 63 between dots"),
        (
            {"domain": ".".join(["a" * 60] * 4)},
            "domain: has 243 characters, and names of UIs, <application>.spark-jobs.spark-a.a",
        ),
    ],
    "metrics.destination": [
        (
            destination(otlp={"endpoint": "https://a.example"}, cloudwatch={"region": "us-east-1"}),
            "metrics.destination: needs one of `otlp`, `remote_write` and `cloudwatch`; set one of the three",
        ),
    ],
    "metrics.destination.otlp.endpoint": [
        (destination(otlp={"endpoint": "a.example:4318"}), "write a URL such as https://metrics.example.com"),
    ],
    "metrics.destination.remote_write": [
        (
            destination(remote_write={"url": "https://a.example", "workspace": WORKSPACE}),
            "metrics.destination.remote_write: needs either `url` or `workspace`; set one of the two",
        ),
        (
            destination(remote_write={}),
            "metrics.destination.remote_write: needs either `url` or `workspace`; set one of the two",
        ),
    ],
    "metrics.destination.remote_write.url": [
        (destination(remote_write={"url": "a.example"}), "write a URL such as https://metrics.example.com"),
    ],
    "metrics.destination.remote_write.workspace": [
        (
            destination(remote_write={"workspace": "ws-0a1b"}),
            "workspace: is 'ws-0a1b'; write arn:aws:aps:<region>:<account>:workspace/ws-<id>",
        ),
        (
            destination(remote_write={"workspace": WORKSPACE.replace("us-east-1", "us-east-9")}),
            "but AWS has no region us-east-9",
        ),
        (
            destination(remote_write={"workspace": WORKSPACE.replace("arn:aws:", "arn:aws-cn:")}),
            "of partition aws-cn, but us-east-1 is of aws",
        ),
    ],
    "metrics.alerts_topic": [
        (
            {"metrics": {"alerts_topic": "alerts.fifo"}},
            "alerts_topic: is 'alerts.fifo'; write arn:aws:sns:<region>:<account>:<name>, of a standard",
        ),
    ],
    "metrics.managed_grafana": [
        (grafana(), "metrics.managed_grafana: is reached from nowhere; name prefix_lists or vpc_endpoints"),
    ],
    "metrics.managed_grafana.prefix_lists": [
        (grafana(prefix_lists=["acme"]), "prefix_lists.0: is 'acme'; write pl- and 17 hexadecimal digits"),
    ],
    "metrics.managed_grafana.vpc_endpoints": [
        (
            grafana(vpc_endpoints=["acme"]),
            "vpc_endpoints.0: is 'acme'; write vpce- and 17 hexadecimal digits",
        ),
    ],
    "metrics.destination.cloudwatch.region": [
        (destination(cloudwatch={"region": "us-east-9"}), "AWS has no such region"),
    ],
    "tags": [
        ({"tags": {"AWS:team": "a"}}, "tags.AWS:team: tags that begin with moka: or aws:"),
        (
            {"tags": {"kubernetes.io/cluster/a": "owned"}},
            "tags that begin with moka: or aws: or eks: or kube",
        ),
        ({"tags": {"Name": "a"}}, "tags.Name: is set by the platform, on each resource its own"),
        ({"tags": {"team": "aws:a"}}, "tags.team: is 'aws:a', but values that begin with aws: are reserved"),
        ({"tags": {"": "a"}}, "tags: has an empty key; give it a name"),
        ({"tags": {"k" * 129: "a"}}, "its key has 129 characters, but AWS takes 128; shorten it"),
        ({"tags": {"team": "v" * 257}}, "its value has 257 characters, but AWS takes 256; shorten it"),
        ({"tags": {"team": "a;b"}}, "tags.team: its value has ';', but AWS takes only letters, digits"),
        ({"tags": {"te&m": "a"}}, "tags.te&m: its key has '&', but AWS takes only letters, digits"),
        ({"tags": {"team": "a\nb"}}, "tags.team: its value has '\\n', but AWS takes only"),
        ({"tags": {"Team": "a", "team": "b"}}, "tags.team: is the key 'Team' to IAM, which takes no two"),
        (
            {"tags": {f"tag-{number}": "a" for number in range(43)}},
            "tags: are 43, but AWS takes 50 on a resource, of which up to 8 are set by the platform",
        ),
        ({"tags": {"cost-center": 42}}, "tags.cost-center: is 42; input should be a valid string"),
    ],
    "job_namespaces": [
        ({"job_namespaces": {"Spark.Jobs": {}}}, "the key 'Spark.Jobs'; write lower case, digits and dashes"),
    ],
    "foundations.<name>.account": [
        ({f"{MAIN}.account": "１２３４５６７８９０１２"}, "write all twelve digits, in quotes"),
        ({f"{MAIN}.account": "1234-5678-9012"}, "is '1234-5678-9012'; write all twelve digits, in quotes"),
    ],
    "foundations.<name>.region": [
        (
            {f"{MAIN}.region": "us-esat-1"},
            "region: is 'us-esat-1'; AWS has no such region; did you mean 'us-",
        ),
        ({f"{MAIN}.region": "us-east-9"}, "region: is 'us-east-9'; AWS has no such region"),
        ({f"{MAIN}.region": "mars-east-1"}, "region: is 'mars-east-1'; AWS has no such region"),
        ({f"{MAIN}.region": "us-east-1a"}, "AWS has no such region; did you mean 'us-east-1'?"),
        ({f"{MAIN}.region": "aws-global"}, "region: is 'aws-global'; AWS has no such region"),
        ({f"{MAIN}.region": "US-EAST-1"}, "region: is 'US-EAST-1'; AWS has no such region"),
        (
            {
                "foundations.other": IN_CHINA,
                "clusters.b": "copy of spark-a",
                "clusters.b.foundation": "other",
            },
            "foundations: are in the partitions aws, aws-cn, and none has access to another's data",
        ),
    ],
    "foundations.<name>.deployer": [
        (
            {f"{MAIN}.deployer": f"arn:aws-cn:iam::{ACCOUNT}:role/a"},
            "of partition aws-cn, but us-east-1 is of",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:iam::{ACCOUNT}:root"},
            "write arn:aws:iam::<account>:role/<name>, or",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:sts::{ACCOUNT}:assumed-role/a/b"},
            "write arn:aws:iam::<account>:role",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:iam::{ACCOUNT}:role/a b"},
            "write arn:aws:iam::<account>:role/<name>",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:iam::{ACCOUNT}:role/{'a' * 65}"},
            "write arn:aws:iam::<account>:role/",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:iam::{ACCOUNT}:role/{'a' * 511}/b"},
            "write arn:aws:iam::<account>:role/",
        ),
        (
            {f"{MAIN}.deployer": f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/eks.amazonaws.com/A"},
            "a service-linked role, which EKS gives no access; name another role",
        ),
    ],
    "foundations.<name>.permissions_boundary": [
        (
            {f"{MAIN}.permissions_boundary": f"arn:aws-us-gov:iam::{ACCOUNT}:policy/a"},
            "of partition aws-us-gov, but us-east-1 is of aws; write an ARN that begins with arn:aws:.",
        ),
        (
            {f"{MAIN}.permissions_boundary": f"arn:aws:iam::{ACCOUNT}:role/a"},
            "write arn:aws:iam::<account>:policy/<name>",
        ),
    ],
    "deployer_network": [
        ({"deployer_network": "the office"}, "deployer_network: is 'the office'"),
        ({"deployer_network": "10.251.0.0/24"}, "has no route; add a network that has it to"),
    ],
    "foundations.<name>.api_access.cidrs": [
        ({f"{MAIN}.api_access": {"cidrs": ["10.251.0.0/24"]}}, "api_access.cidrs"),
        ({f"{MAIN}.api_access": {"cidrs": ["anywhere"]}}, "api_access.cidrs.0"),
        ({f"{MAIN}.api_access": {"cidrs": ["10.250.1.0/24"] * 2}}, "cidrs: '10.250.1.0/24' is listed twice"),
        (
            {f"{MAIN}.api_access": {"cidrs": [f"10.250.{number}.0/24" for number in range(30, 89)]}},
            "api_access: needs 60 rules with deployer_network and Archer's networks, but a security group "
            "has 60, 1 of them EKS's",
        ),
    ],
    "foundations.<name>.api_access.security_groups": [
        ({f"{MAIN}.api_access": {"security_groups": ["runners"]}}, "write sg- and 17 hexadecimal digits"),
        (
            {f"{MAIN}.api_access": {"security_groups": ["sg-012345678"]}},
            "security_groups.0: is 'sg-012345678'",
        ),
        (
            {f"{MAIN}.api_access": {"security_groups": ["sg-0123456789abcdef0"] * 2}},
            "api_access.security_groups: 'sg-0123456789abcdef0' is listed twice; list it once",
        ),
    ],
    "foundations.<name>.network.transit_gateway.id": [
        ({f"{NETWORK}.transit_gateway.id": "gateway"}, "transit_gateway.id: is 'gateway'; write tgw- and 17"),
        ({f"{NETWORK}.transit_gateway.id": "tgw-012345678"}, "write tgw- and 17 hexadecimal digits"),
    ],
    "foundations.<name>.network.transit_gateway.cidrs": [
        ({f"{NETWORK}.transit_gateway.cidrs": ["10.0.64.0/18"]}, "which is within the VPC's own 10.0.0.0/16"),
        ({f"{NETWORK}.transit_gateway.cidrs": []}, "transit_gateway.cidrs"),
        (
            {f"{NETWORK}.transit_gateway.cidrs": ["10.250.0.0/16"] * 2},
            "transit_gateway.cidrs: '10.250.0.0/16' is listed twice; list it once",
        ),
        (
            {f"{NETWORK}.transit_gateway.cidrs": ["0.0.0.0/0"]},
            "cidrs.0: is 0.0.0.0/0, to which a NAT gateway has the one route that a table can have",
        ),
        (
            {f"{NETWORK}.transit_gateway.cidrs": ["10.250.0.0/16", "169.254.0.0/16"]},
            "cidrs.1: is 169.254.0.0/16, but 169.254.0.0/16 is link-local",
        ),
    ],
    "foundations.<name>.network.cidr": [
        (
            {f"{NETWORK}.cidr": "172.17.0.0/16"},
            "but 172.17.0.0/16 is Docker's, and some services of AWS fail",
        ),
        ({f"{NETWORK}.cidr": "169.254.0.0/16"}, "but 169.254.0.0/16 is link-local, and AWS's own"),
        ({f"{NETWORK}.cidr": "127.0.0.0/16"}, "but 127.0.0.0/8 is each machine's own"),
        ({f"{NETWORK}.cidr": "0.0.0.0/16"}, "but 0.0.0.0/8 is no address of a machine"),
        ({f"{NETWORK}.cidr": "224.0.0.0/16"}, "but 224.0.0.0/4 is for multicast"),
        ({f"{NETWORK}.cidr": "240.0.0.0/16"}, "but 240.0.0.0/4 is reserved"),
        ({f"{NETWORK}.cidr": "10.0.0.0/24"}, "is 10.0.0.0/24; choose a range from /16, the largest"),
    ],
    "foundations.<name>.network.pod_cidrs": [
        (
            {f"{NETWORK}.pod_cidrs": ["172.16.0.0/16"]},
            f"{NETWORK}.pod_cidrs.0: is 172.16.0.0/16, but AWS adds nothing of 172.16.0.0/12 to a VPC of "
            "10.0.0.0/8; choose a range in 100.64.0.0/10.",
        ),
        (
            {f"{NETWORK}.pod_cidrs": ["192.168.0.0/16"]},
            "adds nothing of 192.168.0.0/16 to a VPC of 10.0.0.0/8",
        ),
        ({f"{NETWORK}.pod_cidrs": ["198.19.0.0/16"]}, "adds nothing of 198.19.0.0/16 to a VPC of 10.0.0.0/8"),
        (
            {f"{NETWORK}.cidr": "100.65.0.0/16", f"{NETWORK}.pod_cidrs": ["10.0.0.0/16"]},
            "AWS adds nothing of 10.0.0.0/8 to a VPC of 100.65.0.0/16",
        ),
        (
            {f"{NETWORK}.cidr": "172.16.0.0/16", f"{NETWORK}.pod_cidrs": ["172.31.0.0/16"]},
            "AWS adds nothing of 172.31.0.0/16 to a VPC of 172.16.0.0/12",
        ),
        (
            {f"{NETWORK}.cidr": "10.1.0.0/16", f"{NETWORK}.pod_cidrs": ["10.0.0.0/16"]},
            "AWS adds nothing of 10.0.0.0/16 to a VPC with a range in 10.0.0.0/15",
        ),
    ],
    "foundations.<name>.network.zones": [
        ({f"{NETWORK}.zones": ["us-east-1a", "us-east-1z"]}, "'us-east-1z' is no zone of us-east-1"),
        ({f"{NETWORK}.zones": ["us-east-1a", "us-east-1B"]}, "'us-east-1B' is no zone of us-east-1"),
        ({f"{NETWORK}.zones": ["us-east-1a", ""]}, "'' is no zone of us-east-1"),
        ({f"{NETWORK}.zones": ["use1-az1", "use1-az2"]}, "'use1-az1' is no zone of us-east-1"),
        (
            {f"{NETWORK}.zones": ["us-east-1a", "us-east-1-bos-1a"]},
            "is a Local or Wavelength Zone, where EKS",
        ),
        ({f"{NETWORK}.zones": ["us-east-1a", "us-east-1-wl1-bos-wlz-1"]}, "is a Local or Wavelength Zone"),
        ({f"{NETWORK}.zones": ["us-east-1a"]}, "list should have at least 2 items"),
    ],
    "foundations.<name>.existing_network.vpc": [
        (existing(vpc="vpc-012345678"), "vpc: is 'vpc-012345678'; write vpc- and 17 hexadecimal digits"),
        (existing(vpc="main"), "vpc: is 'main'; write vpc- and 17 hexadecimal digits"),
    ],
    "foundations.<name>.existing_network.private_subnets": [
        (
            existing(private_subnets={"us-east-1a": "10.0.0.0/18", "us-east-1b": "subnet-0123456789abcdef1"}),
            "private_subnets.us-east-1a: is '10.0.0.0/18'; write subnet- and 17 hexadecimal digits",
        ),
        (
            existing(private_subnets=dict.fromkeys(SUBNETS, "subnet-0123456789abcdef0")),
            "existing_network: 'subnet-0123456789abcdef0' is listed twice; list it once",
        ),
    ],
    "foundations.<name>.existing_network.public_subnets": [
        (existing(public_subnets=SUBNETS), "'subnet-0123456789abcdef0' is listed twice; list it once"),
    ],
    "foundations.<name>.existing_network.pod_subnets": [
        (existing(pod_subnets=SUBNETS), "'subnet-0123456789abcdef1' is listed twice; list it once"),
    ],
    "clusters.<name>.service_cidr": [
        ({f"{CLUSTER}.service_cidr": "100.64.0.0/16"}, "EKS takes ranges of 10.0.0.0/8, 172.16.0.0/12"),
        ({f"{CLUSTER}.service_cidr": "192.168.4.0/28"}, "is 192.168.4.0/28, but EKS takes /12 to /24"),
        ({f"{CLUSTER}.service_cidr": "10.0.128.0/20"}, "of foundations.main.network: pods would not reach"),
        ({f"{CLUSTER}.service_cidr": "10.250.0.0/20"}, "overlaps 10.250"),
        (
            {
                f"{CLUSTER}.service_cidr": "192.168.0.0/20",
                f"{NETWORK}.transit_gateway.cidrs": ["10.250.0.0/16", "192.168.8.0/24"],
            },
            "overlaps 192.168.8.0/24 of foundations.main.network.transit_gateway",
        ),
    ],
    "clusters.<name>.public_access": [
        (
            {f"{CLUSTER}.public_access": ["10.0.0.0/8"]},
            "10.0.0.0/8 has addresses of 10.0.0.0/8, which the int",
        ),
        (
            {f"{CLUSTER}.public_access": ["100.64.1.0/24"]},
            "has addresses of 100.64.0.0/10, which the internet",
        ),
        (
            {f"{CLUSTER}.public_access": ["192.168.1.7/32"]},
            "has addresses of 192.168.0.0/16, which the intern",
        ),
        ({f"{CLUSTER}.public_access": ["0.0.0.0/1", "128.0.0.0/1"]}, "is 0.0.0.0/0, the whole internet"),
        ({f"{CLUSTER}.public_access": ["5.0.0.0/24", "5.0.0.0/24"]}, "'5.0.0.0/24' is listed twice"),
        (
            {f"{CLUSTER}.public_access": [f"5.0.{number}.0/24" for number in range(41)]},
            "has 41 networks, but EKS takes 40; merge some",
        ),
    ],
    "clusters.<name>.access.<name>.principal": [
        (
            access(principal=f"arn:aws-cn:iam::{ACCOUNT}:role/a"),
            "of partition aws-cn, but us-east-1 is of aws",
        ),
        (access(principal=f"arn:aws:iam::{ACCOUNT}:group/a"), "write arn:aws:iam::<account>:role/<name>, or"),
        (access(principal="*"), "principal: is '*'; write arn:aws:iam::<account>:role/<name>"),
        (
            access(principal=f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/eks.amazonaws.com/A"),
            "a service-linked role, which EKS gives no access",
        ),
    ],
    "clusters.<name>.access.<name>.namespaces": [
        (access(namespaces=["spark-jobs", "spark-jobs"]), "'spark-jobs' is listed twice; list it once"),
        (access(namespaces=["Spark Jobs"]), "is 'Spark Jobs'; write lower case, digits and dashes"),
    ],
    "clusters.<name>.node_groups.<name>.instance_types": [
        (
            {f"{MAIN}.region": "me-central-1", f"{NETWORK}.zones": ["me-central-1a", "me-central-1b"]},
            f"{GROUPS}.shuffle.instance_types: r6gd.4xlarge is not offered in me-central-1, as cfn-lint "
            "lists it; choose another, such as r6g.4xlarge.",
        ),
        (
            {f"{AMD}.instance_types": ["r6i.4xlarge", "r5b.4xlarge"], f"{MAIN}.region": "ap-south-2"},
            "r5b.4xlarge is not offered in ap-south-2",
        ),
        ({f"{AMD}.instance_types": ["m4.4xlarge"]}, "m4.4xlarge is not built on Nitro, and the VPC CNI has"),
        ({f"{AMD}.instance_types": ["mac1.metal"]}, "mac1.metal runs macOS on a host of its own, for which"),
        (
            {f"{ARM}.instance_types": ["a1.4xlarge"]},
            "a1.4xlarge has the first Graviton, and Amazon Linux 2023",
        ),
        ({f"{ARM}.instance_types": ["r7g.huge"]}, "'r7g.huge' is not the name of an EC2 instance type"),
        ({f"{ARM}.instance_types": ["r7g.4xlarge\n"]}, "is not the name of an EC2 instance type"),
        (
            {f"{ARM}.instance_types": ["r7g.medium"]},
            "the interfaces of r7g.medium have addresses for 50 pods, but its nodes take 58; choose a larger",
        ),
        (
            {f"{AMD}.instance_types": ["t3.nano"]},
            "of t3.nano have addresses for 18 pods, but its nodes take 58",
        ),
    ],
    "clusters.<name>.node_groups.<name>.max_pods": [
        (
            {f"{AMD}.max_pods": 200},
            f"{AMD}.max_pods: is 200, but EKS allows 110 pods on r6i.4xlarge, by its vCPUs",
        ),
    ],
    "clusters.<name>.node_groups.<name>.minimum": [
        ({f"{GROUPS}.system.minimum": 9}, "sizes must be in order, minimum <= desired <= maximum, but are 9"),
    ],
    "clusters.<name>.node_groups.<name>.maximum": [
        ({f"{ARM}.maximum": 451}, "is 451, but EKS allows 450 nodes in a group"),
        ({f"{ARM}.maximum": 10**4000}, f"{ARM}.maximum: is 1000"),
    ],
    "clusters.<name>.node_groups.<name>.desired": [
        ({f"{ARM}.desired": 9}, "sizes must be in order, minimum <= desired <= maximum, but are 0, 9, 8"),
    ],
    "clusters.<name>.node_groups.<name>.zones": [
        ({f"{GROUPS}.system.zones": ["us-east-1a"] * 2}, "system.zones: 'us-east-1a' is listed twice"),
    ],
    "clusters.<name>.node_groups.<name>.capacity_reservations": [
        (
            {f"{GROUPS}.system.capacity_reservations": {"us-east-1a": "cr-0123456789"}},
            "capacity_reservations.us-east-1a: is 'cr-0123456789'; write cr- and 17 hexadecimal digits",
        ),
        (
            {
                f"{GROUPS}.system": {
                    "per_zone": True,
                    "capacity_reservations": dict.fromkeys(SUBNETS, "cr-0123456789abcdef0"),
                }
            },
            "us-east-1b: is cr-0123456789abcdef0, as in us-east-1a, but a reservation is in one zone",
        ),
        (
            {
                f"{GROUPS}.{group}": {
                    "zones": ["us-east-1a"],
                    "capacity_reservations": {"us-east-1a": "cr-0123456789abcdef0"},
                }
                for group in ("driver-amd64", "driver-arm64")
            },
            "driver-arm64.capacity_reservations.us-east-1a: is cr-0123456789abcdef0, as of a group of "
            "r6i.2xlarge, but a reservation is of one instance type and these are r7g.2xlarge",
        ),
    ],
    "clusters.<name>.node_groups.<name>.job_namespace": [
        (
            {f"{GROUPS}.system.job_namespace": "spark-jobs"},
            "driver or executor, but role is system; remove it",
        ),
        (
            {f"{ARM}.job_namespace": "spark-job"},
            "no job namespace is named 'spark-job'; the job namespaces are",
        ),
        (
            {f"{ARM}.job_namespace": "spark-jobs"},
            "has no group with role driver for jobs in spark-jobs, which would wait for ever; add one, with",
        ),
        (
            {
                "job_namespaces": {"spark-jobs": {}, "others": {}},
                **{
                    f"{GROUPS}.{role}-{architecture}.job_namespace": "spark-jobs"
                    for role in ("driver", "executor")
                    for architecture in ("arm64", "amd64")
                },
            },
            "has no group with role executor for jobs in others, which would wait for ever; add one, without",
        ),
    ],
    "clusters.<name>.node_groups.<name>.labels": [
        (
            {f"{GROUPS}.system.labels": {"my team": "a"}},
            "the key 'my team'; write one such as example.com/team",
        ),
        ({f"{GROUPS}.system.labels": {"team": ""}}, "labels.team: is ''; EKS takes 1 to 63 letters"),
        ({f"{GROUPS}.system.labels": {"team": "a/b"}}, "labels.team: is 'a/b'; EKS takes 1 to 63 letters"),
        ({f"{GROUPS}.system.labels": {"team": "v" * 64}}, "EKS takes 1 to 63 letters"),
        ({f"{GROUPS}.system.labels": {f"example.com/{'k' * 52}": "a"}}, "at most 63 letters, digits, dashes"),
        ({f"{GROUPS}.system.labels": {"/team": "a"}}, "the key '/team'; write one such as example.com/team"),
        ({f"{GROUPS}.system.labels": {"team": "-a"}}, "labels.team: is '-a'; EKS takes 1 to 63 letters"),
        ({f"{GROUPS}.system.labels": {"nvidia.com/gpu.present": "true"}}, "labels of that domain are set by"),
        (
            {f"{GROUPS}.system.labels": {"topology.ebs.csi.aws.com/zone": "a"}},
            "labels of that domain are set",
        ),
    ],
    "clusters.<name>.node_groups.<name>.time_zone": [
        ({f"{ARM}.time_zone": "Europe/berlin"}, "is 'Europe/berlin', which is no known time zone"),
        ({f"{ARM}.time_zone": "+01:00"}, "is '+01:00', which is no known time zone"),
        ({f"{ARM}.time_zone": "Factory"}, "is 'Factory', which is no known time zone"),
    ],
    "clusters.<name>.node_groups.<name>.ami_release": [
        ({f"{ARM}.ami_release": "1.35.2-20261399"}, "write version and date, such as 1.35.8-20260930"),
        ({f"{ARM}.ami_release": "1.35.2-20260230"}, "write version and date, such as 1.35.8-20260930"),
        ({f"{ARM}.ami_release": "latest"}, "is 'latest'; write version and date, such as 1.35.8-20260930"),
    ],
    "clusters.<name>.node_groups.<name>.ami": [
        ({f"{ARM}.ami": "ami-latest"}, f"{ARM}.ami: is 'ami-latest'; write ami- and 17 hexadecimal digits"),
        (
            {f"{ARM}.ami": AMI, f"{ARM}.ami_release": "1.35.8-20260930"},
            f"{ARM}.ami_release: is a release of EKS's AMI, but the group has {AMI}; keep one of the two",
        ),
    ],
    "clusters.<name>.node_groups.<name>.retiring.<number>.ami": [
        (
            {
                f"{ARM}.generation": 2,
                f"{ARM}.retiring": {1: {"instance_types": ["r6g.4xlarge"], "ami": AMI, **OLD}},
            },
            f"{ARM}.retiring.1.ami_release: is a release of EKS's AMI, but the group has {AMI}; keep one",
        ),
    ],
    "clusters.<name>.node_groups.<name>.user_data": [
        (
            {f"{ARM}.user_data": ["../mounts.sh"]},
            f"{ARM}.user_data.0: is '../mounts.sh'; write the path of a file beside this one, such as",
        ),
        (
            {f"{ARM}.user_data": ["mounts.sh"]},
            f"{ARM}.user_data.0: is 'mounts.sh', but there is no such file beside this one; name one such as",
        ),
    ],
    "clusters.<name>.node_groups.<name>.generation": [
        ({f"{ARM}.generation": 10**20}, "generation: is 100000000000000000000; input should be less than"),
    ],
    "clusters.<name>.node_groups.<name>.retiring.<number>.instance_types": [
        (
            {
                f"{MAIN}.region": "me-central-1",
                f"{ARM}.generation": 2,
                f"{ARM}.retiring": {1: {"instance_types": ["r6gd.4xlarge"]}},
            },
            f"{ARM}.retiring.1.instance_types: r6gd.4xlarge is not offered in me-central-1",
        ),
        (
            {
                f"{AMD}.generation": 2,
                f"{AMD}.retiring": {1: {"instance_types": ["g5.4xlarge", "r6i.4xlarge"]}},
            },
            f"{AMD}.retiring.1.instance_types: g5.4xlarge with GPUs and r6i.4xlarge without need different",
        ),
    ],
    "clusters.<name>.node_groups.<name>.retiring.<number>.ami_release": [
        (
            {
                f"{ARM}.generation": 2,
                f"{ARM}.retiring": {1: {"instance_types": ["r6g.4xlarge"], "ami_release": "1.34"}},
            },
            f"{ARM}.retiring.1.ami_release: is '1.34'; write version and date",
        ),
        (
            {
                f"{ARM}.generation": 2,
                f"{ARM}.retiring": {1: {"instance_types": ["r6g.4xlarge"], "ami_release": "1.36.0-20261105"}},
            },
            f"{ARM}.retiring.1.ami_release: is '1.36.0-20261105', but the cluster's Kubernetes version is",
        ),
    ],
    "clusters.<name>.bootstrap.<name>.image": [
        (bootstrap(image="fuse:1"), "image: is 'fuse:1'; write <registry>/<repository>:<tag>"),
    ],
    "clusters.<name>.bootstrap.<name>.env": [
        (bootstrap(env={"A-B": "c"}), "env.A-B: the key 'A-B'; string should match pattern"),
        (
            bootstrap(env={"FUSE_PASSWORD": "correct-horse"}),
            "env.FUSE_PASSWORD: is in plain what its name calls a secret; have the program fetch it",
        ),
    ],
    "clusters.<name>.bootstrap.<name>.ready": [
        (bootstrap(ready=[]), "ready: is []; list should have at least 1 item"),
    ],
    "clusters.<name>.bootstrap.<name>.roles": [
        (
            bootstrap(roles=["system"]),
            "roles.0: is 'system'; input should be 'driver', 'executor' or 'shuffle'",
        ),
        (bootstrap(roles=["driver", "driver"]), "roles: 'driver' is listed twice"),
    ],
    "clusters.<name>.bootstrap.<name>.host_folders.path": [
        (bootstrap(host_folders=[{"path": "mnt"}]), "path: is 'mnt'; write an absolute path such as"),
    ],
    "clusters.<name>.bootstrap.<name>.host_folders.mount": [
        (
            bootstrap(host_folders=[{"path": "/mnt/fuse", "mount": "/mnt/fuse/"}]),
            "mount: is '/mnt/fuse/'; write an absolute path such as",
        ),
    ],
    "clusters.<name>.bootstrap.<name>.host_folders.propagation": [
        (
            bootstrap(host_folders=[{"path": "/mnt/fuse", "propagation": "Bidirectional"}]),
            "bootstrap.fuse: has a folder with propagation Bidirectional; set privileged, or another",
        ),
    ],
    "clusters.<name>.bootstrap.<name>.cpu": [
        (bootstrap(cpu="0.5"), "cpu: is '0.5'; write cores as '4' or 500m"),
    ],
    "clusters.<name>.bootstrap.<name>.memory": [
        (bootstrap(memory="1GB"), "memory: is '1GB'; write"),
    ],
    "clusters.<name>.node_groups.<name>.disk.gib": [
        ({f"{ARM}.disk": {"gib": 8}}, "disk.gib: is 8; input should be greater than or equal to 20"),
        ({f"{ARM}.disk": {"gib": 70_000}}, "disk.gib: is 70000; input should be less than or equal to 65536"),
        (
            {f"{ARM}.disk": {"gib": 179}},
            f"{ARM}.disk: has 179 GiB at 125 MiB a second, too little for what executors on the 16 vCPUs of "
            "r7g.4xlarge spill and shuffle; write at least {gib: 180, iops: 3000, mibps: 125}, or choose "
            "machines that all have instance storage.",
        ),
    ],
    "clusters.<name>.node_groups.<name>.disk.iops": [
        (
            {f"{ARM}.disk": {"gib": 20, "iops": 16_000}},
            f"{ARM}.disk.iops: is 16000, but gp3 gives 500 for each GiB, 10000 with 20; lower it or",
        ),
    ],
    "clusters.<name>.node_groups.<name>.disk.mibps": [
        (
            {f"{ARM}.disk": {"mibps": 1000}},
            f"{ARM}.disk.mibps: is 1000, but gp3 gives 0.25 for each of its IOPS, 750 with 3000; raise "
            "iops to 4000, or lower it.",
        ),
        (
            {f"{AMD}.instance_types": ["r7i.48xlarge"], f"{AMD}.disk": {"gib": 2000, "mibps": 750}},
            "too little for what executors on the 192 vCPUs of r7i.48xlarge spill and shuffle; write at "
            "least {gib: 2000, iops: 6000, mibps: 1500}",
        ),
    ],
    "clusters.<name>.node_groups.<name>.schedule.<name>.cron": [
        (night("60 * * * *"), f"{CRON}: is '60 * * * *'; there is no such minute, or it never comes"),
        (night("0 24 * * *"), f"{CRON}: is '0 24 * * *'; there is no such hour, or it never comes"),
        (night("0 0 0 * *"), f"{CRON}: is '0 0 0 * *'; there is no such day-of-month, or it never comes"),
        (night("0 0 31 2 *"), f"{CRON}: is '0 0 31 2 *'; there is no such day-of-month, or it never comes"),
        (night("0 0 * 13 *"), f"{CRON}: is '0 0 * 13 *'; there is no such month, or it never comes"),
        (night("0 0 * * 8"), f"{CRON}: is '0 0 * * 8'; there is no such day-of-week, or it never comes"),
        (night("0 0 * * MOM"), f"{CRON}: is '0 0 * * MOM'; there is no such day-of-week, or it never comes"),
        (night("*/0 * * * *"), f"{CRON}: is '*/0 * * * *'; there is no such minute, or it never comes"),
        (night("30-10 * * * *"), f"{CRON}: is '30-10 * * * *'; there is no such minute, or it never comes"),
        (night("0 0 ? * MON"), f"{CRON}: is '0 0 ? * MON'; there is no such day-of-month, or it never comes"),
        (night("0 0 L * *"), f"{CRON}: is '0 0 L * *'; Auto Scaling knows no L, W or #"),
        (night("0 0 * * 1#2"), f"{CRON}: is '0 0 * * 1#2'; Auto Scaling knows no L, W or #"),
        (night("0 0 8 * * *"), f"{CRON}: is '0 0 8 * * *'; cron has five fields, and this 6"),
        (night("@daily"), f"{CRON}: is '@daily'; cron has five fields, and this 1"),
        (night("rate(1 day)"), f"{CRON}: is 'rate(1 day)'; cron has five fields, and this 2"),
        (
            {
                f"{ARM}.schedule": {
                    "one": {"cron": "0 8 * * MON", "minimum": 1},
                    "other": {"cron": "00 8 * * 1", "minimum": 2},
                }
            },
            f"{ARM}.schedule.other.cron: is '00 8 * * 1', the same times as of 'one', and Auto Scaling takes",
        ),
    ],
    "clusters.<name>.node_groups.<name>.schedule.<name>.minimum": [
        (
            {f"{ARM}.schedule": {"night": {"cron": "0 8 * * *", "minimum": 9}}},
            "is 9, above the group's maximum",
        ),
    ],
    "clusters.<name>.node_groups.<name>.schedule.<name>.maximum": [
        (bounds(minimum=2, maximum=9), "is 9, and has to be from 2 (its minimum, and one for each"),
        (bounds(minimum=2, maximum=1), "is 1, and has to be from 2 (its minimum, and one for each"),
        (bounds(minimum=2, maximum=0), f"{ARM}.schedule.night.maximum: is 0"),
        (
            bounds(DRIVER, minimum=2, maximum=3),
            f"{DRIVER}.schedule.night.maximum: would have Auto Scaling end driver nodes whatever runs there, "
            "and its jobs would fail; remove it, `moka shrink` empties machines first",
        ),
        (
            bounds(minimum=1, maximum=2, day={"cron": "0 7 * * *", "minimum": 0}),
            f"{ARM}.schedule.day.maximum: is not set, but that of night is, and would hold from there on",
        ),
        (
            {f"{ARM}.minimum": 8, f"{ARM}.desired": 8, **bounds(minimum=2, maximum=3)},
            "night.maximum: changes a group of a fixed size of 8, to which `up` would bring it back",
        ),
    ],
    "clusters.<name>.node_groups.<name>.schedule": [
        (
            {
                f"{ARM}.schedule": {
                    f"at-{n}": {"cron": f"{n % 60} {n // 60} * * *", "minimum": 1} for n in range(126)
                }
            },
            f"{ARM}.schedule: is {{'at-0': {{'cron': '0 0 * * *', 'minimum': 1}}, 'at-1'",
        ),
    ],
    "clusters.<name>.shuffle.workers": [
        ({f"{SHUFFLE}.workers": 7}, "workers: is 7, one a node, but groups with role shuffle have at most 6"),
        ({f"{SHUFFLE}.workers": 2}, "fail while one of two restarts; set it to 3"),
    ],
    "clusters.<name>.shuffle.storage.instance.gib": [
        (
            {f"{SHUFFLE}.storage.instance": {"gib": 900}},
            "is 900, but r6gd.4xlarge has 884 GiB, of which a fifth",
        ),
    ],
    "clusters.<name>.shuffle.storage.volumes.count": [
        ({f"{SHUFFLE}.storage.volumes": {"count": 17}}, "volumes.count: is 17; input should be less than or"),
    ],
    "clusters.<name>.shuffle.storage.volumes.gib": [
        ({f"{SHUFFLE}.storage.volumes": {"gib": 20_000}}, "volumes.gib: is 20000; input should be less than"),
    ],
    "clusters.<name>.shuffle.storage.volumes.iops": [
        (
            {f"{SHUFFLE}": {"workers": 3, "storage": {"volumes": {"gib": 10, "iops": 6000}}}},
            "volumes.iops: is 6000, but gp3 gives 500 for each GiB, 5000 with 10; lower it or raise gib",
        ),
    ],
    "clusters.<name>.shuffle.storage.volumes.mibps": [
        (
            {f"{SHUFFLE}": {"workers": 3, "storage": {"volumes": {"mibps": 1000}}}},
            "volumes.mibps: is 1000, but gp3 gives 0.25 for each of its IOPS, 750 with 3000; raise iops",
        ),
    ],
    "clusters.<name>.shuffle.sizes.master": [
        (
            {f"{SHUFFLE}.sizes": {"master": {"cpus": 8, "heap_gib": 4}}},
            "sizes.master: needs 8 cores and 6 GiB, but the largest system node has 8 and 32, not all of it",
        ),
    ],
    "clusters.<name>.shuffle.sizes.worker": [
        (
            {f"{SHUFFLE}.sizes": {"worker": {"cpus": 100, "heap_gib": 4, "off_heap_gib": 4}}},
            "sizes.worker: needs 100 cores and",
        ),
    ],
    "clusters.<name>.shuffle.quotas.<name>.gib": [
        (
            {f"{SHUFFLE}.quotas": {"analytics": {"gib": 2**40}}},
            "quotas.analytics.gib: is 1099511627776; input",
        ),
    ],
    "clusters.<name>.shuffle.quotas.<name>.files": [
        ({f"{SHUFFLE}.quotas": {"analytics": {"files": 2**40}}}, "analytics.files: is 1099511627776; input"),
    ],
    "clusters.<name>.capacity.cpu": [
        ({f"{CLUSTER}.capacity": {"cpu": "9" * 30, "memory": "1Ti"}}, "write cores as '4' or 500m"),
        ({f"{CLUSTER}.capacity": {"cpu": "0", "memory": "1Ti"}}, "cpu: is '0'; write cores as '4' or 500m"),
        ({f"{CLUSTER}.capacity": {"cpu": "-4", "memory": "1Ti"}}, "cpu: is '-4'; write cores as '4' or 500m"),
    ],
    "clusters.<name>.capacity.memory": [
        (
            {f"{CLUSTER}.capacity": {"cpu": "4", "memory": "9000000Ti"}},
            "that is more than Kubernetes can count",
        ),
        (
            {f"{CLUSTER}.capacity": {"cpu": "4", "memory": "64gb"}},
            "is '64gb'; write memory as 512Mi, 64Gi or",
        ),
    ],
    "clusters.<name>.capacity.gpu": [
        (
            {f"{CLUSTER}.capacity": {"cpu": "4", "memory": "4Gi", "gpu": 2**40}},
            "gpu: is 1099511627776; input",
        ),
    ],
    "queues.organizations.<name>.max_applications": [
        (
            {"queues.organizations.analytics.max_applications": 2**70},
            "max_applications: is 1180591620717411303",
        ),
    ],
    "allocation": [
        (
            {"allocation": {"most_moves": 1}, "services.queue_keeper": REMOVED},
            "allocation: is for plans, but without services.queue_keeper none takes effect",
        )
    ],
    "services.allocator": [
        (
            {"services.archer": REMOVED, "archer": REMOVED},
            "services.allocator: makes plans that Archer keeps; add services.archer and section archer",
        ),
        (
            oidc(),
            "services.allocator: says by its role who it is, and Archer would not know it; add `iam: {}`",
        ),
        (
            {"services.usage_recorder": REMOVED},
            "services.allocator: makes plans of what was used, which nobody records; set services.usage_reco",
        ),
        (
            {"services.queue_keeper": REMOVED},
            "services.allocator: makes plans that reach no queue; set services.queue_keeper",
        ),
        (
            {f"{ARM}.instance_types": ["r7gd.metal"], f"{AMD}.instance_types": ["r6id.metal"]},
            "clusters.spark-a: has instance types whose names do not tell their cores and memory",
        ),
    ],
    "allocation.night": [
        (
            {"allocation": {"night": {"days": 7}}, "services.allocator": REMOVED},
            "allocation.night: is for plans that the service allocator makes, which is not there",
        )
    ],
    "allocation.night.cron": [
        (plans_of_the_night(cron="0 25 * * *"), "there is no such hour, or it never comes"),
        (plans_of_the_night(cron="@daily"), "cron has five fields, and this 1; write minute, hour"),
        (plans_of_the_night(cron="0 2 * * MON-FRI"), "does not come on S"),  # on a Sunday, today is first
        (plans_of_the_night(cron="30 2 1-30 * *"), "which does not come on"),
    ],
    "allocation.night.days": [
        (plans_of_the_night(days=0), "days: is 0; input should be greater than or equal to 1"),
        (
            {**plans_of_the_night(days=60), "retention": {"resource_usage": 30}},
            "allocation.night.days: is 60, but retention.resource_usage keeps 30; lower it, or keep more",
        ),
    ],
    "allocation.night.seconds": [
        (plans_of_the_night(seconds=0), "seconds: is 0; input should be greater than 0"),
    ],
    "allocation.night.seed": [
        (plans_of_the_night(seed=-1), "seed: is -1; input should be greater than or equal to 0"),
    ],
    "allocation.least": [
        ({"allocation": {"least": {1: 101}}}, "least.1: is 101; input should be less than or equal to 100"),
        ({"allocation": {"least": {4: 50}}}, "least.4: the key '4'; input should be less than or equal to 3"),
    ],
    "allocation.most_change": [
        ({"allocation": {"most_change": 0}}, "most_change: is 0; input should be greater than or equal to 1"),
    ],
    "allocation.most_moves": [
        ({"allocation": {"most_moves": -1}}, "most_moves: is -1; input should be greater than or equal to 0"),
    ],
    "queues.organizations.<name>.limits.users": [
        (
            {"queues.organizations.science.limits.0.users": ["Anne Smith"]},
            "limits: name 'Anne Smith', which cannot be a user of YuniKorn",
        ),
        (
            {"queues.organizations.science.limits.0.users": ["anne\n"]},
            "limits: name 'anne\\n', which cannot be a user of YuniKorn",
        ),
    ],
    "queues.organizations.<name>.limits.groups": [
        (
            {"queues.organizations.science.limits.0.groups": ["a/b"]},
            "limits: name 'a/b', which cannot be a group of YuniKorn",
        ),
    ],
    "job_namespaces.<name>.quota.applications": [
        ({JOBS: {"quota": {"applications": 2**40}}}, "quota.applications: is 1099511627776; input should be"),
    ],
    "job_namespaces.<name>.executors_per_job": [
        ({JOBS: {"executors_per_job": 0}}, "executors_per_job: is 0; input should be greater than"),
        ({JOBS: {"executors_per_job": 2**40}}, "executors_per_job: is 1099511627776; input should be less"),
    ],
    "job_namespaces.<name>.quota.pods": [
        ({JOBS: {"quota": {"pods": 2**40}}}, "quota.pods: is 1099511627776; input should be less than"),
    ],
    "job_namespaces.<name>.quota.cpu": [
        ({JOBS: {"quota": {"cpu": "4.5"}}}, "quota.cpu: is '4.5'; write cores as '4' or 500m"),
    ],
    "job_namespaces.<name>.quota.memory": [
        (
            {JOBS: {"quota": {"memory": "9000000000000Gi"}}},
            "that is more than Kubernetes can count; lower it",
        ),
    ],
    "job_namespaces.<name>.largest_container.cpu": [
        ({JOBS: {"largest_container": {"cpu": "0"}}}, "largest_container.cpu: is '0'; write cores as '4'"),
    ],
    "job_namespaces.<name>.largest_container.memory": [
        ({JOBS: {"largest_container": {"memory": "1T"}}}, "memory: is '1T'; write memory as 512Mi, 64Gi"),
    ],
    "job_namespaces.<name>.host_paths": [
        (
            {JOBS: {"host_paths": ["/mnt/../etc"], "pod_security": "privileged"}},
            "host_paths.0: is '/mnt/../etc'; write an absolute path such as /mnt/models",
        ),
        (
            {JOBS: {"host_paths": ["/mnt"] * 2, "pod_security": "privileged"}},
            f"{JOBS}.host_paths: '/mnt' is listed twice; list it once",
        ),
    ],
    "job_namespaces.<name>.egress.<name>.ports": [
        (egress(ports=[65536]), "ports.0: is 65536; input should be less than or equal to 65535"),
        (egress(ports=list(range(1, 26))), "list should have at most 24 items"),
        (egress(ports=[443, 443]), "egress.hive.ports: '443' is listed twice; list it once"),
    ],
    "job_namespaces.<name>.egress.<name>.cidrs": [
        (egress(cidrs=["10.0.0.7/8"]), "cidrs.0: is '10.0.0.7/8'; 10.0.0.7/8 has host bits set"),
    ],
    "job_namespaces.<name>.egress.<name>.namespace": [
        (egress(cidrs=[], namespace="Hive"), "namespace: is 'Hive'; write lower case, digits and dashes"),
    ],
    "spark.images": [
        (
            {"spark": {"images": {"4.1": "registry.example/spark:latest"}}},
            "latest is another image every day",
        ),
        ({"spark": {"images": {"4.1": "registry.example/spark"}}}, "without a tag or digest, nobody can say"),
        (
            {"spark": {"images": {"4.1": f"{ECR}.cn-north-1.amazonaws.com.cn/spark:4"}}},
            "in partition aws-cn, where nodes in aws may not pull; copy it to a registry of their partition",
        ),
    ],
    "spark.packages": [
        ({"spark": {"packages": ["org.postgresql:postgresql"]}}, "write Maven coordinates, group:artifact:v"),
        ({"spark": {"packages": ["a:b:1,c:d:2"]}}, "write Maven coordinates, group:artifact:version"),
    ],
    "spark.repositories": [
        ({"spark": {"repositories": ["http://maven.example"]}}, "write the URL of a repository, https://..."),
    ],
    "spark.celeborn.clients": [
        (
            {"spark.celeborn": {"clients": ["3.5"]}},
            "spark.celeborn.clients: has 3.5, but spark.images has no image of it, and jobs with an image of "
            "their own ask for Celeborn themselves; add the image, or remove it.",
        ),
        ({"spark.celeborn": {"clients": ["4.1", "4.1"]}}, "clients: '4.1' is listed twice; list it once"),
    ],
    "spark.celeborn.cores": [
        ({"spark.celeborn": {"clients": ["4.1"], "cores": 0}}, "spark.celeborn.cores: is 0; input should be"),
    ],
    "spark.event_logs.seconds": [
        ({"spark": {"event_logs": {"seconds": 4}}}, "spark.event_logs.seconds: is 4"),
        ({"spark": {"event_logs": {"seconds": 301}}}, "spark.event_logs.seconds: is 301"),
    ],
    "services.allocator.image": [
        (
            image("registry.example/driver-finalizer:latest"),
            f"{FINALIZER}: is 'registry.example/driver-finaliz",
        ),
        (image(f"{ECR}.us-esat-1.amazonaws.com/a/b:1"), "but AWS has no region us-esat-1; did you mean 'us-"),
        (
            image("12345.dkr.ecr.us-east-1.amazonaws.com/a/b:1"),
            "write the host of ECR as <account>.dkr.ecr.<re",
        ),
        (
            image(f"{ACCOUNT}.ecr.us-east-1.amazonaws.com/a/b:1"),
            "write the host of ECR as <account>.dkr.ecr.<re",
        ),
        (
            image(f"{ECR}.us-east-1.amazonaws.com.cn/a/b:1"),
            "but registries in us-east-1 end with amazonaws.com",
        ),
        (
            image(f"{ECR}.us-gov-west-1.amazonaws.com/a/b:1"),
            "in partition aws-us-gov, where nodes in aws may",
        ),
        (image("registry.example/a@sha256:abc"), "its digest must be sha256: and 64 hexadecimal digits"),
        (
            image(f"registry.example/a@md5:{DIGEST[7:]}"),
            "its digest must be sha256: and 64 hexadecimal digits",
        ),
        (image("registry.example/A:1"), "write <registry>/<repository>:<tag>, the repository in lower case"),
        (
            image("https://registry.example/a:1"),
            "an image has no scheme; write <registry>/<repository>:<tag>",
        ),
        (image("apache/spark:4.1.0"), "has no registry before the repository; write <registry>/<repository>"),
        (image(f"registry.example/a:{'1' * 129}"), "write <registry>/<repository>:<tag>"),
        (image("a_registry.example/a:1"), "a_registry.example is no host of a registry; write one such as"),
        (image("localhost:5000/a:1"), "localhost:5000 is each node itself, where no registry is"),
        (
            image(f"{ECR}.us-east-1.amazonaws.com/moka-local/finalizer:1"),
            "moka-local/finalizer:1', but registry.repositories has no finalizer; did you mean 'driver-fin",
        ),
    ],
    "history.image": [
        (
            {"history.image": f"{ECR}.us-east-1.amazonaws.com/moka-local/history:1"},
            "history:1', but registry.repositories has no history; did you mean 'history-gate'?",
        ),
        ({"history.image": "registry.example/history-server:latest"}, "latest is another image every day"),
    ],
    "history.logs_url": [
        (
            {"history.logs_url": "https://portal.example/logs"},
            "write an address with the place of logs in it",
        ),
        ({"history.logs_url": "portal.example/{prefix}"}, "write an address with the place of logs in it"),
    ],
    "charts.mirror": [
        ({"charts": {"mirror": "https://registry.example"}}, "write host and path of a registry, as in"),
        ({"charts": {"mirror": "registry.example/mirror/"}}, "without scheme, tag or final slash"),
        ({"charts": {"mirror": "registry.example/mirror:1"}}, "without scheme, tag or final slash"),
        ({"charts": {"mirror": "mirror"}}, "charts.mirror: is 'mirror'; would be a user of Docker Hub"),
        (
            {"charts": {"mirror": "docker.io/acme"}},
            "Docker Hub has no repositories deeper than <user>/<name>",
        ),
        ({"charts": {"mirror": "localhost/mirror"}}, "localhost is each node itself, where no registry is"),
        (
            {"charts": {"mirror": f"{ECR}.eu-moon-1.amazonaws.com"}},
            "charts.mirror: is '123456789012.dkr.ecr.eu-",
        ),
        (
            {"charts": {"mirror": f"{ECR}.cn-north-1.amazonaws.com.cn"}},
            "in partition aws-cn, where nodes in aws",
        ),
    ],
    "charts.values": [
        (
            {"charts": {"values": {"fluent-bit": {"image": {"tag": "latest"}}}}},
            "charts.values.fluent-bit.image.tag: is 'latest', another image every day; write the tag of a",
        ),
        (
            values("fluentbit", a=1),
            "charts.values.fluentbit: no release has that name; did you mean 'fluent-bit'?",
        ),
        (
            values("fluent-bit", image={"tag": 5.1}),
            "image.tag: is 5.1, which YAML reads as no text; put the tag",
        ),
        (
            values("fluent-bit", image={"tag": "5.1 "}),
            "image.tag: is '5.1 ', which is no tag of an image; copy",
        ),
        (
            values("ingress-nginx", controller={"image": {"digest": "sha256:0a"}}),
            "charts.values.ingress-nginx.controller.image.digest: is 'sha256:0a', but a digest is",
        ),
        (
            values("fluent-bit", daemonSetVolumes=[{"name": "a", "size": float("nan")}]),
            "charts.values.fluent-bit.daemonSetVolumes.0.size: is nan, which is no number to Helm",
        ),
        (
            rolled(rollingUpdate={"maxUnavailable": 5}),
            "charts.values.fluent-bit.updateStrategy: has maxUnavailable 5, but only with a share of",
        ),
        (rolled(rollingUpdate={"maxUnavailable": "0%"}), "has maxUnavailable '0%', but only with a share of"),
        (
            rolled(type="OnDelete"),
            "updateStrategy: has type 'OnDelete', with which no update reaches the nodes",
        ),
        (
            values("fluent-bit", updateStrategy=None),
            "updateStrategy: has maxUnavailable 1, but only with a share",
        ),
        (
            values("opentelemetry-agent", rollout={"rollingUpdate": {"maxUnavailable": 1}}),
            "charts.values.opentelemetry-agent.rollout: has maxUnavailable 1, but only with a share",
        ),
    ],
    "registry.repositories": [
        (registry(repositories=["Spark"]), "repositories.0: is 'Spark'; ECR takes names such as team/spark"),
        (registry(repositories=["a__b"]), "repositories.0: is 'a__b'; ECR takes names such as team/spark"),
        (
            registry(repositories=["/spark"]),
            "repositories.0: is '/spark'; ECR takes names such as team/spark",
        ),
        (registry(repositories=["s"]), "repositories.0: is 's'; ECR takes names such as team/spark"),
        (
            registry(repositories=["spark:4"]),
            "repositories.0: is 'spark:4'; ECR takes names such as team/spark",
        ),
    ],
    "registry.pull_through": [
        (registry(pull_through={"gcr.io": {}}), "registry.pull_through.gcr.io: the key 'gcr.io'"),
    ],
    "registry.pull_through.<name>.secret": [
        (
            registry(pull_through={"docker.io": {"secret": f"arn:aws:{SECRET}:docker-AbCdEf"}}),
            "ECR takes only secrets whose names begin so",
        ),
        (
            registry(pull_through={"docker.io": {"secret": CACHE + "a" * 600}}),
            "registry.pull_through.docker.io.secret: is 'arn:aws:secretsmanager",
        ),
        (
            registry(pull_through={"docker.io": {"secret": CACHE.replace("us-east-1", "us-esat-1")}}),
            "but AWS has no region us-esat-1; did you mean 'us-",
        ),
        (
            registry(pull_through={"docker.io": {"secret": CACHE.replace("us-east-1", "eu-west-1")}}),
            "is in eu-west-1 of account 123456789012, but ECR looks for it beside the registry, in us-east-1",
        ),
        (
            registry(pull_through={"docker.io": {"secret": CACHE.replace(ACCOUNT, "2" * 12)}}),
            "is in us-east-1 of account 222222222222, but ECR looks for it beside the registry",
        ),
        (
            registry(pull_through={"docker.io": {"secret": CACHE.replace("arn:aws:", "arn:aws-cn:")}}),
            "of partition aws-cn, but us-east-1 is of aws",
        ),
    ],
    "ingress.login": [
        (
            {**login(), "services.ui_gateway": REMOVED},
            "ingress.login: is asked for by services.ui_gateway, which is not set",
        ),
        (
            {"ingress": login()["ingress"]},
            "ingress.login: needs TLS, as browsers keep its cookies with https",
        ),
    ],
    "foundations.<name>.certificates.arns": [
        (
            {
                f"{MAIN}.certificates": {
                    "arns": [
                        "arn:aws:acm:us-west-2:123456789012:certificate/12345678-1234-1234-1234-123456789012"
                    ]
                }
            },
            "which is of account 123456789012 in us-west-2; a load balancer takes only those of 123456789012",
        ),
        ({f"{MAIN}.certificates": {"arns": ["acme.example"]}}, "write arn:aws:acm:<region>:<account>"),
    ],
    "foundations.<name>.certificates.public_zone": [
        ({f"{MAIN}.certificates": {"public_zone": "acme.example"}}, "write the id of the hosted zone"),
        (
            {f"{MAIN}.certificates": {"public_zone": "Z0123456789ABC", **login()[f"{MAIN}.certificates"]}},
            "takes either public_zone, or arns of certificates of your own",
        ),
    ],
    "foundations.<name>.dns_zone": [
        ({f"{MAIN}.dns_zone": "acme.example"}, "write the id of the hosted zone"),
    ],
    "ingress.networks": [({"ingress": {"networks": ["10.0.0.1/8"]}}, "ingress.networks.0")],
    "ingress.login.issuer": [
        (login(issuer="http://id.example"), "ingress.login.issuer: is 'http://id.example'; write the URL"),
        (login(issuer="https://id.example/?a=b"), "ingress.login.issuer: is 'https://id.example/?a=b'"),
        (login(issuer="https://a:b@id.example"), "ingress.login.issuer: is 'https://a:b@id.example'"),
    ],
    "ingress.login.client_id": [(login(client_id=""), "ingress.login.client_id")],
    "ingress.login.secret": [
        (login(secret=f"arn:aws:{SECRET}:login-Ab12Cd"), "no ARN, and no name that ends as one does"),
        (login(secret="login-Ab12Cd"), "no ARN, and no name that ends as one does"),
        (login(secret="log in"), "write the name of a secret of Secrets Manager"),
        (login(secret="*"), "write the name of a secret of Secrets Manager"),
        (login(secret="a" * 513), "write the name of a secret of Secrets Manager"),
    ],
    "ingress.login.secret_key": [
        (login(secret_key="alias/mine"), "an alias or a key's id is not enough"),
        (login(secret_key=KEY), "but the secret is also in us-east-1 of 123456789012, for foundation 'main'"),
    ],
    "ingress.login.scopes": [
        (login(scopes=["profile", "groups"]), "lacks openid, without which an issuer gives no ID token"),
        (login(scopes=["openid profile"]), "write a scope as the issuer has it, without spaces"),
    ],
    "ingress.login.groups_claim": [(login(groups_claim="my groups"), "ingress.login.groups_claim")],
    "ingress.login.operators": [
        (login(operators=["a,b"]), "write a group as it stands in the claim, without commas"),
        (login(operators=["a", "a"]), "ingress.login.operators"),
    ],
    "ingress.login.hours": [(login(hours=25), "ingress.login.hours")],
    "job_namespaces.<name>.archer_only": [
        (
            {f"{JOBS}.archer_only": True, "archer": None, "services.archer": None},
            "keeps out every job, as there is no Archer",
        ),
    ],
    "job_namespaces.<name>.claims": [
        (
            claims(organization="finance"),
            "claims.0: names queues that there are not: finance.*, tiers",
        ),
        ({f"{JOBS}.claims": []}, "should have at least 1 item"),
    ],
    "job_namespaces.<name>.claims.organization": [(claims(organization="a b"), "organization")],
    "job_namespaces.<name>.claims.project": [
        (
            claims(organization="analytics", project="billing"),
            "not: analytics.billing, tiers 1, 2, 3;",
        )
    ],
    "job_namespaces.<name>.claims.tiers": [
        (
            claims(organization="science", project="models", tiers=[1]),
            "not: science.models, tiers 1;",
        ),
        (claims(organization="analytics", tiers=[]), "should have at least 1 item"),
    ],
    "job_namespaces.<name>.viewers": [
        ({f"{JOBS}.viewers": ["analysts"]}, "without ingress.login nobody knows who comes"),
        ({f"{JOBS}.viewers": [""], **login()}, "write a group as it stands in the claim"),
    ],
    "registry.readers": [
        (registry(readers=["*"]), "readers.0: is '*'; write all twelve digits, in quotes"),
    ],
    "grants.<name>.account": [
        (
            {"grants": {"replay": {"environment": "staging", "account": "*", "data": ["event-logs"]}}},
            "grants.replay.account: is '*'; write all twelve digits, in quotes",
        ),
    ],
    "grants.<name>.data": [
        (
            {"grants": {"replay": {"environment": "staging", "account": "2" * 12, "data": ["staging"] * 2}}},
            "grants.replay.data: 'staging' is listed twice; list it once",
        ),
    ],
    "uses.<name>.bucket": [
        (uses("Events"), "is 'Events', but S3 takes 3 to 63 lower case letters"),
        (uses("a..b"), "is 'a..b', but S3 takes no two dots beside each other, and no IP address"),
        (
            uses("10.20.30.40"),
            "is '10.20.30.40', but S3 takes no two dots beside each other, and no IP address",
        ),
        (
            uses("xn--events"),
            "but S3 keeps names that begin with xn-- or sthree- or amzn-s3-demo- for itself",
        ),
        (uses("events-s3alias"), "but S3 keeps names that end with -s3alias or"),
        (
            used(one={"bucket": "events"}, two={"bucket": "events"}),
            "uses: 's3a://events/' is listed twice; list it once",
        ),
        (uses("s3://events"), "but S3 takes 3 to 63 lower case letters"),
        (uses("e" * 64), "but S3 takes 3 to 63 lower case letters"),
    ],
    "metastores": [
        (thrift() | {f"{JOBS}.metastore": None}, "metastores.company: is of no job namespace; write")
    ],
    "job_namespaces.<name>.metastore": [
        ({f"{JOBS}.metastore": "company"}, "metastore: is 'company', not in `metastores`; add it there"),
        (thrift() | {f"{JOBS}.metastore": "compny"}, "not in `metastores`; did you mean 'company'?"),
    ],
    "metastores.<name>.warehouse": [
        *(
            (tables(warehouse, glue={"databases": ["a"]}), "write s3a://<bucket>/<folder>/, with a slash at")
            for warehouse in ("s3://lake/warehouse/", "s3a://lake/warehouse", "/warehouse/", "s3a://a b/c/")
        ),
        (
            tables("s3a://pond/warehouse/", glue={"databases": ["a"]}),
            "is s3a://pond/warehouse/, but jobs in spark-jobs may not use bucket pond there; name it",
        ),
    ],
    "metastores.<name>.thrift": [
        (tables(), "metastores.company: needs either `thrift` or `glue`; set one of the two"),
        (
            tables(thrift={"addresses": ["thrift://a:1"], "namespace": "b"}, glue={"databases": ["c"]}),
            "metastores.company: needs either `thrift` or `glue`; set one of the two",
        ),
        (thrift(namespace=None), "metastores.company.thrift: has neither cidrs nor namespace; add one"),
        (thrift(cidrs=["10.9.0.0/16"]), "metastores.company.thrift: has both cidrs and namespace; keep one"),
    ],
    "metastores.<name>.thrift.addresses": [
        *(
            (thrift(addresses=[address]), "write thrift://<host>:<port>, such as thrift://metastore.example")
            for address in ("hive.example:9083", "http://hive.example:9083", "thrift://hive.example")
        ),
        (thrift(addresses=["thrift://hive.example:0"]), "write a port from 1 to 65535"),
        (thrift(addresses=["thrift://hive.example:70000"]), "ort out of range 0-65535"),
    ],
    "metastores.<name>.thrift.cidrs": [(thrift(namespace=None, cidrs=["10.9.0.1/16"]), "has host bits set")],
    "metastores.<name>.thrift.namespace": [
        (thrift(namespace="Hive"), "write lower case, digits and dashes, at most 63"),
    ],
    "metastores.<name>.glue.account": [(glue(account="12345"), "write all twelve digits, in quotes")],
    "metastores.<name>.glue.region": [(glue(region="us-esat-1"), "AWS has no such region; did you mean")],
    "metastores.<name>.glue.databases": [
        (glue(databases=["Sales"]), "write the name of a database, lower case, digits and underscores"),
        (glue(databases=["s*les"]), "write the name of a database, lower case, digits and underscores"),
        (glue(databases=[]), "list should have at least 1 item after validation, not 0"),
        (
            glue(databases=[f"{'n' * 200}{number}" for number in range(20)]),
            "and their folders and 20 databases, and IAM takes 10,240; put jobs that need different ones",
        ),
    ],
    "uses.<name>.region": [
        (uses("events", region="us-esat-1"), "AWS has no such region; did you mean"),
        (uses("events", region="eu-west-1"), "but the key is in us-east-1, where S3 wants its bucket to be"),
        (
            used(
                one={"bucket": "events", "prefixes": ["a/"]}, two={"bucket": "events", "region": "eu-west-1"}
            ),
            "uses.two: has another key or region than uses.one, though both are bucket events; write",
        ),
    ],
    "uses.<name>.prefixes": [
        *(
            (
                uses("events", prefixes=[prefix]),
                "write folders with a slash at the end, such as orders/daily/",
            )
            for prefix in (
                "orders",
                "/orders/",
                "orders/*",
                "a?/",
                "${aws:username}/",
                "o//",
                "a" * 256 + "/",
            )
        ),
        (uses("events", prefixes=["a/", "a/"]), "uses: 's3a://events/a/' is listed twice; list it once"),
        (
            uses("events", prefixes=[f"{number}/" for number in range(9)]),
            "should have at most 8 items after validation, not 9",
        ),
    ],
    "job_namespaces.<name>.own_key": [
        (
            {"job_namespaces": {"n" * 24: {"own_key": True}}},
            "has 66 characters, and S3 allows 63; give the namespace a shorter name",
        ),
    ],
    "job_namespaces.<name>.uses": [
        ({f"{JOBS}.uses": {"raw": "read"}}, "job_namespaces.spark-jobs.uses.raw: is not in `uses`; add it"),
        ({**uses("events"), f"{JOBS}.uses": {"prd": "read"}}, "prd: is not in `uses`; did you mean 'prod'?"),
        (
            {**uses("events"), f"{JOBS}.uses": {}},
            "uses.prod: is used by no job namespace; write `uses: {prod: read}` in those of spark-jobs",
        ),
        ({**uses("events"), f"{JOBS}.uses": {"prod": "delete"}}, "should be 'read' or 'write'"),
        (
            used(**{f"a{number}": {"bucket": f"bucket-{number}"} for number in range(13)}),
            "would make a policy of about 13,047 bytes with these 13 and their folders, and IAM takes 10,240",
        ),
    ],
    "uses.<name>.key": [
        (uses("events", KEY.replace("key/", "alias/")), "an alias or a key's id is not enough"),
        (uses("events", KEY.partition("/")[2]), "an alias or a key's id is not enough"),
        (uses("events", KEY[:-1]), "uses.prod.key: is 'arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-4e5f"),
        (uses("events", KEY.replace("us-east-1", "us-esat-1")), "but AWS has no region us-esat-1; did"),
        (
            used(prod_1={"bucket": "events"}, prod1={"bucket": "logs"}),
            "uses.prod1: would have the statement UseProd1 in policies, as 'prod-1' has, and IAM takes each",
        ),
        (
            uses("events", KEY.replace("arn:aws:", "arn:aws-cn:")),
            "of partition aws-cn, but us-east-1 is of aws",
        ),
        (
            uses("acme-prod-444455556666-eu-west-1-event-logs"),
            "is of us-east-1 and account 444455556666, but the bucket is in eu-west-1 of 444455556666",
        ),
    ],
    "clusters.<name>.control_plane_logs.types": [
        (
            {f"{CLUSTER}.control_plane_logs": {"types": ["audits"]}},
            "is 'audits'; input should be 'api', 'audit', 'authenticator', 'controllerManager' or",
        ),
        ({f"{CLUSTER}.control_plane_logs": {"types": ["api", "api"]}}, "control_plane_logs.types: 'api' is"),
    ],
    "clusters.<name>.control_plane_logs.days": [
        ({f"{CLUSTER}.control_plane_logs": {"days": 31}}, "days: is 31; input should be 1, 3, 5, 7, 14"),
    ],
    "logs.drivers_behind_seconds": [
        ({"logs": {"drivers_behind_seconds": 29}}, "logs.drivers_behind_seconds: is 29; input should be"),
    ],
    "logs.executors_behind_seconds": [
        (
            {"logs": {"executors_behind_seconds": 3601}},
            "logs.executors_behind_seconds: is 3601; input should",
        ),
        (
            {"logs": {"executors_behind_seconds": 45}},
            "logs.executors_behind_seconds: is 45, less than logs.drivers_behind_seconds, 60;",
        ),
    ],
    "logs.outage_hours": [
        (
            {"logs": {"outage_hours": 24}},
            "disk.gib: is 100, but logs may take 132 GiB of it while S3 is away for logs.outage_hours, 24, "
            "and all else 20; raise it to 152, or lower logs.outage_hours or logs.kib_per_second.",
        ),
    ],
    "logs.kib_per_second": [
        ({"logs": {"kib_per_second": 4096}}, "disk.gib: is 100, but logs may take 176 GiB of it"),
    ],
    "retention.control_plane_logs": [
        (
            {"retention": {"control_plane_logs": 31}},
            "control_plane_logs: is 31; input should be 1, 3, 5, 7, 14",
        ),
    ],
    "archer.authentication": [
        (archer(authentication={}), "has no way to say who one is, and nobody could submit; add oidc"),
    ],
    "archer.authentication.oidc": [
        (
            archer(authentication={"oidc": {"issuer": "https://id.example", "audience": "archer"}}),
            "needs TLS, or whoever is on the way reads tokens; set certificates of each foundation",
        ),
    ],
    "archer.authentication.oidc.issuer": [
        (oidc(issuer="http://id.example"), "write the URL of the issuer as it stands in its tokens, https"),
        (oidc(issuer=None), "is left out, and there is no ingress.login whose issuer it could be; name one"),
    ],
    "archer.authentication.oidc.audience": [
        (oidc(audience=""), "should have at least 1 character"),
        (
            {**login(), **archer(authentication={"oidc": {"audience": "moka"}})},
            "is 'moka', that of the pages",
        ),
    ],
    "archer.authentication.oidc.name_claim": [(oidc(name_claim="a b"), "should match pattern")],
    "archer.authentication.oidc.groups_claim": [(oidc(groups_claim=""), "should match pattern")],
    "archer.authentication.proxy.certificate_name": [
        (proxy(certificate_name="*.example"), "write a host name in lower case, as the certificate has it"),
    ],
    "archer.authentication.proxy.secret": [
        (proxy(secret="Tls"), "write the name of a Secret of Kubernetes"),
    ],
    "archer.authentication.proxy.user_header": [
        (proxy(user_header="X-User"), "write the name of a header in lower case"),
    ],
    "archer.authentication.proxy.groups_header": [
        (proxy(groups_header="x groups"), "write the name of a header in lower case"),
    ],
    "archer.rights.<name>.who": [
        (right(who=["data"]), "write user:<name> or group:<name>, of which the name may be a pattern"),
        (right(who=["group:a", "group:a"]), "'group:a' is listed twice; list it once"),
    ],
    "archer.rights.<name>.may": [
        (right(may=["run"]), "input should be 'submit', 'see', 'stop' or 'operate'")
    ],
    "archer.rights.<name>.organization": [
        (right(organization="analytic"), "no organization of the queues is named 'analytic'; did you mean"),
    ],
    "archer.rights.<name>.project": [
        (right(organization="analytics", project="models"), "no project there is named 'models'"),
    ],
    "archer.rights.<name>.tiers": [
        (right(organization="science", tiers=[1]), "has 1, and no queue there has that tier; name of 2, 3"),
        (right(tiers=[4]), "input should be 1, 2 or 3"),
    ],
    "archer.weights": [
        (archer(weights={"analytics": 2}), "write a queue as <organization>.<project>"),
        (archer(weights={"analytics.model": 2}), "no queue is named 'analytics.model'"),
    ],
    "archer.rate.a_second": [(archer(rate={"a_second": 0}), "should be greater than 0")],
    "archer.traces.endpoint": [
        (archer(traces={"endpoint": text}), "write a URL without a password or a query")
        for text in ("collector:4318", "http://me@collector:4318", "https://collector/otlp?key=word")
    ],
    "archer.traces.share": [
        (archer(traces={"endpoint": "http://collector:4318", "share": 1.5}), "less than or equal to 1")
    ],
    "archer.rate.at_once": [(archer(rate={"at_once": 0}), "should be greater than or equal to 1")],
    "services.archer": [
        ({"services.archer": None}, "has no image; name it as services.archer, as `make images` has pushed"),
        ({"archer": None}, "is the image of nothing; add a section archer, or remove it"),
    ],
    "database.version": [
        (database(version="15.4"), "is '15.4'; write a version of Aurora PostgreSQL from 16 on"),
        (database(version="16"), "is '16'; write a version of Aurora PostgreSQL from 16 on, such as 16.11"),
    ],
    "database.generation": [
        (
            {"organization": "a" * 20, "environment": "b" * 30, **database()},
            "gives the database the name",
        )
    ],
    "database.instance_class": [
        (database(instance_class="r8g.large"), "write a class such as db.serverless or db.r8g.large"),
    ],
    "database.minimum_capacity": [
        (database(minimum_capacity=0.7), "is 0.7; write it in steps of a half"),
        (database(minimum_capacity=8, maximum_capacity=4), "is 8, more than maximum_capacity, 4; lower it"),
    ],
    "database.maximum_capacity": [
        (database(maximum_capacity=0.5), "should be greater than or equal to 1"),
        (database(maximum_capacity=257), "should be less than or equal to 256"),
    ],
    "database.backup_days": [(database(backup_days=36), "should be less than or equal to 35")],
    "database.restore_from": [
        (database(restore_from={}), "needs either `snapshot` or `cluster`; set one of the two"),
        (
            database(restore_from={"snapshot": "a", "cluster": "b"}),
            "needs either `snapshot` or `cluster`; set one of the two",
        ),
    ],
    "database.restore_from.snapshot": [
        (database(restore_from={"snapshot": "1st"}), "write the name of a cluster's snapshot, or its ARN"),
    ],
    "database.restore_from.cluster": [
        (database(restore_from={"cluster": "Prod"}), "write the identifier of a database cluster"),
        (
            database(restore_from={"cluster": "moka-local-database-1"}),
            "is moka-local-database-1, which is the database itself; raise database.generation",
        ),
    ],
    "database.restore_from.time": [
        (database(restore_from={"cluster": "a", "time": "yesterday"}), "write a time in UTC as 2026-11-24T"),
        (
            database(restore_from={"snapshot": "a", "time": "2026-11-24T01:05:00Z"}),
            "has a time, which only a cluster can be restored to",
        ),
    ],
}

TYPES = "yes or no, or one of a few words: its type refuses the rest"
NAMES = "a name in this file, which has to be there, or a section: its keys follow"
DAYS = "1 to 3650 days, which S3 takes"
SIZES = "cores or GiB: too many for the machines are a mistake of `sizes`"
COUNTS = "numbers of which only the History Server knows"
SHARES = "shares and amounts, which must fit to each other: moka/queues/problems.py"

# What no service refuses, and why.
FREE: dict[str, str] = {
    **dict.fromkeys(("metrics", "metrics.destination.otlp", "metrics.destination.otlp.secret"), NAMES),
    **dict.fromkeys(("metrics.destination.cloudwatch", "metrics.store"), NAMES),
    **dict.fromkeys(("metrics.own_grafana", "metrics.workspace_rules"), TYPES),
    "metrics.managed_grafana.sign_in": TYPES,
    **dict.fromkeys((f"metrics.store.{key}" for key in ("days", "disk_gib", "memory_gib")), SIZES),
    **dict.fromkeys((f"metrics.{key}" for key in ("shards", "gateways", "kube_state_metrics_shards")), SIZES),
    **dict.fromkeys(("home", "foundations", "clusters", "slices", "waves", "uses", "grants", "ci"), NAMES),
    "metastores.<name>.glue": NAMES,
    **dict.fromkeys(("queues", "queues_from", "spark", "services", "charts", "history", "logs"), NAMES),
    **dict.fromkeys(("foundations.<name>.network", "foundations.<name>.existing_network"), NAMES),
    **dict.fromkeys((f"clusters.<name>.{key}" for key in ("foundation", "access", "node_groups")), NAMES),
    **dict.fromkeys((f"clusters.<name>.{key}" for key in ("shuffle", "capacity", "bootstrap")), NAMES),
    **dict.fromkeys(
        (f"clusters.<name>.bootstrap.<name>.{key}" for key in ("command", "args", "privileged")), TYPES
    ),
    "clusters.<name>.bootstrap.<name>.host_folders": NAMES,
    "clusters.<name>.bootstrap.<name>.host_folders.read_only": TYPES,
    **dict.fromkeys((f"clusters.<name>.node_groups.<name>.{key}" for key in ("disk", "retiring")), NAMES),
    **dict.fromkeys((f"clusters.<name>.shuffle.{key}" for key in ("storage", "sizes", "quotas")), NAMES),
    **dict.fromkeys((f"clusters.<name>.shuffle.storage.{key}" for key in ("instance", "volumes")), NAMES),
    **dict.fromkeys(
        (f"job_namespaces.<name>.{key}" for key in ("quota", "largest_container", "egress")), NAMES
    ),
    **dict.fromkeys(("spark.operators", "spark.operators.<name>.namespaces", "registry.foundation"), NAMES),
    **dict.fromkeys(
        (
            f"services.{name}"
            for name in (
                "driver_finalizer",
                "event_log_uploader",
                "history_gate",
                "queue_keeper",
                "ui_gateway",
                "usage_recorder",
            )
        ),
        NAMES,
    ),
    **dict.fromkeys(
        ("spark.celeborn", "spark.event_logs", "slices.<name>.layers", "slices.<name>.clusters"), NAMES
    ),
    **dict.fromkeys(("registry", "retention", "clusters.<name>.control_plane_logs"), NAMES),
    **dict.fromkeys(("grants.<name>.environment", "queues.tiers", "queues.organizations"), NAMES),
    **dict.fromkeys(("retain", "grants.<name>.access", "metastores.<name>.glue.access"), TYPES),
    **dict.fromkeys((f"foundations.<name>.{key}" for key in ("assume", "network.nat")), TYPES),
    **dict.fromkeys(("ingress", "foundations.<name>.certificates"), NAMES),
    **dict.fromkeys(("foundations.<name>.network.interface_endpoints", "ingress.controller"), TYPES),
    **dict.fromkeys(
        (
            f"clusters.<name>.{key}"
            for key in ("version", "profile", "support", "zonal_shift", "control_plane_tier", "executor_zone")
        ),
        TYPES,
    ),
    "clusters.<name>.control_plane_logs.log_class": TYPES,
    **dict.fromkeys((f"clusters.<name>.access.<name>.{key}" for key in ("policy", "jobs")), TYPES),
    "clusters.<name>.node_groups.<name>.retiring.<number>.per_zone": TYPES,
    **dict.fromkeys(("ingress", "foundations.<name>.certificates"), NAMES),
    "ingress.controller": TYPES,
    **dict.fromkeys(("foundations.<name>.api_access", "foundations.<name>.network.transit_gateway"), NAMES),
    **dict.fromkeys(
        (f"clusters.<name>.node_groups.<name>.{key}" for key in ("role", "architecture", "spot", "per_zone")),
        TYPES,
    ),
    **dict.fromkeys(
        (f"clusters.<name>.shuffle.{key}" for key in ("replicate", "masters", "drain_hours")), TYPES
    ),
    **dict.fromkeys(
        (f"queues.tiers.<number>.{key}" for key in ("preemption", "delay_seconds", "sort")), TYPES
    ),
    **dict.fromkeys(
        (f"job_namespaces.<name>.{key}" for key in ("pod_security", "isolated", "peer_ports", "celeborn")),
        TYPES,
    ),
    **dict.fromkeys(
        (f"retention.{key}" for key in ("event_logs", "job_logs", "system_logs", "resource_usage")), DAYS
    ),
    **dict.fromkeys((f"retention.{key}" for key in ("staging", "access_logs", "flow_logs")), DAYS),
    "retention.event_logs_hot": DAYS,
    **dict.fromkeys(("retention.jobs", "retention.plans"), "days that only Archer's keeper knows"),
    **dict.fromkeys((f"history.{key}" for key in ("cpu", "heap_gib", "store_gib", "replicas")), SIZES),
    **dict.fromkeys((f"history.{key}" for key in ("interval_seconds", "jobs_per_day")), COUNTS),
    **dict.fromkeys((f"clusters.<name>.shuffle.sizes.master.{key}" for key in ("cpus", "heap_gib")), SIZES),
    **dict.fromkeys(
        (f"clusters.<name>.shuffle.sizes.worker.{key}" for key in ("cpus", "heap_gib", "off_heap_gib")), SIZES
    ),
    "spark.operators.<name>.applications_per_minute": SIZES,
    **dict.fromkeys(("allocation.by_itself", "allocation.night.engine"), TYPES),
    "queues.capacity": SHARES,
    "database": NAMES,
    "database.instances": SIZES,
    **dict.fromkeys(
        ("archer", "archer.rights", "archer.rate", "archer.service", "archer.traces", "archer.worker"), NAMES
    ),
    **dict.fromkeys(("archer.authentication.iam", "archer.authentication.proxy"), NAMES),
    "archer.authentication.proxy.namespace": NAMES,
    **dict.fromkeys((f"archer.service.{key}" for key in ("replicas", "cpu", "memory_mib")), SIZES),
}


def keys() -> list[str]:
    """Every key that docs/settings.md describes, with its path."""
    found, path = [], ""
    for line in page().splitlines():
        if line.startswith("## "):
            path = line.removeprefix("## ").strip("`") + "."
            path = "" if path == "The file." else path
        elif row := re.match(r"\| `(\w+)` \|", line):
            found.append(path + row[1])
    return found


CASES = [(changes, expected) for cases in REFUSED.values() for changes, expected in cases]
IDS = [f"{key}-{number}" for key, cases in REFUSED.items() for number, _ in enumerate(cases)]


@pytest.mark.parametrize(("changes", "expected"), CASES, ids=IDS)
def test_what_would_be_refused_later_is_refused_in_the_file_with_its_place(changes, expected):
    with pytest.raises(settings.InvalidDocument) as error:
        settings.parse(changed(changes), "stacks/local.yaml")

    assert expected in str(error.value)


def test_every_key_was_looked_at():
    described = {
        key for key in keys() if not key.startswith("queues.organizations.<name>.") or "limits." in key
    }
    shares = {key for key in described if key.startswith("queues.organizations.<name>.limits.m")}

    assert (
        described - shares
        == (REFUSED.keys() - {"queues.organizations.<name>.max_applications"}) | FREE.keys()
    )


@pytest.mark.parametrize(
    "changes",
    [
        {f"{MAIN}.region": "us-east-3", f"{NETWORK}.zones": ["us-east-3a", "us-east-3b", "us-east-3c"]},
        {f"{ARM}.instance_types": ["r99g.4xlarge"]},
        {f"{ARM}.disk": {"iops": 4000, "mibps": 1000}},
        {f"{GROUPS}.system.labels": {"example.com/team": "a.b_c-d"}},
        {f"{CLUSTER}.public_access": ["54.240.193.0/24", "54.240.0.0/16"]},
        {"tags": {"cost center": "größe 4/5 @home", "empty": ""}},
        {"tags": {f"tag-{number}": "a" for number in range(42)}},
        {f"{NETWORK}.cidr": "192.168.0.0/16"},
        {f"{NETWORK}.cidr": "10.64.0.0/16", f"{NETWORK}.pod_cidrs": ["10.65.0.0/16"]},
        night("*/15 6-20 1,15 JAN-jun mon-fri"),
        night("0 0 29 2 *"),
        night("0  20 * * *\n"),
        {f"{AMD}.instance_types": ["u-6tb1.56xlarge"], f"{AMD}.disk": FAST},
        {f"{AMD}.instance_types": ["r7i.metal-24xl"], f"{AMD}.disk": FAST},
        {f"{NETWORK}.transit_gateway.cidrs": ["10.0.0.0/8", "172.17.0.0/24"]},
        {f"{CLUSTER}.public_access": ["54.240.193.7"]},
        {f"{ARM}.generation": 2, f"{ARM}.retiring": {1: {"instance_types": ["r6g.4xlarge"], **OLD}}},
        rolled(rollingUpdate={"maxUnavailable": "25%"}),
        values("fluent-bit", image={"tag": "5.1", "digest": DIGEST}),
        uses("events", KEY.rpartition("/")[0] + "/mrk-1234abcd12ab34cd56ef1234567890ab"),
        access(principal=f"arn:aws:iam::{ACCOUNT}:role/{'a' * 500}/{'b' * 64}"),
        {f"{MAIN}.permissions_boundary": f"arn:aws:iam::{ACCOUNT}:policy/{'a' * 128}"},
        {**night("0 8 * * 7"), f"{ARM}.time_zone": "Asia/Kolkata"},
        image(f"registry.example:5000/a/b:latest@{DIGEST}"),
        image(f"{ECR}.eu-west-1.amazonaws.com/a/b@{DIGEST}"),
        image(f"{ACCOUNT}.dkr-ecr.us-east-1.on.aws/a/b:1"),
        {"charts": {"mirror": f"{ECR}.us-east-1.amazonaws.com/mirror"}},
        access(principal=f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_a"),
        registry(
            repositories=[
                "allocator",
                "archer",
                "driver-finalizer",
                "event-log-uploader",
                "history-gate",
                "history-server",
                "queue-keeper",
                "spark",
                "team/spark-jobs",
                "ui-gateway",
                "usage-recorder",
            ],
            pull_through={"docker.io": {"secret": CACHE}},
        ),
        uses("acme-prod-444455556666-us-east-1-event-logs"),
        uses("some.bucket"),
    ],
    ids=str,
)
def test_what_aws_takes_or_nobody_here_knows_is_not_refused(changes):
    assert settings.parse(changed(changes), "stacks/local.yaml").environment == "local"


@pytest.mark.parametrize("example", sorted(Path(reading.__file__).parents[2].glob("examples/*.yaml")))
def test_example_environments_are_accepted(example):
    name = yaml.safe_load(example.read_text())["environment"]

    assert settings.parse(example.read_bytes(), example.name, name).environment == name
