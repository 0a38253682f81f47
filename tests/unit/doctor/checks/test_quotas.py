import re
from datetime import UTC, datetime, time, timedelta

import pytest

from doctor.checks import quotas
from doctor.machines import vcpu_class
from tests.support.aws_stubs import client, lines
from tests.support.calendar import TODAY


def allowed(service, code, value):
    answer = {"Quota": {"ServiceCode": service, "QuotaCode": code, "Value": value}}
    return [("get_service_quota", {"ServiceCode": service, "QuotaCode": code}, answer)]


def by_default(service, code, value):
    names = {"ServiceCode": service, "QuotaCode": code}
    return [
        ("get_service_quota", names, "NoSuchResourceException"),
        ("get_aws_default_service_quota", names, {"Quota": {**names, "Value": value}}),
    ]


def count_of(code):
    [row] = [row for row in quotas.QUOTAS if row.code == code]
    return lambda place: quotas.judge_quota(row, place)


def machine(type_, tags=()):
    ec2 = client("ec2")
    ec2.run_instances(
        ImageId="ami-12c6146b",
        InstanceType=type_,
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": k, "Value": v} for k, v in tags]}]
        if tags
        else [],
    )


def test_vcpus_are_those_of_all_machines_that_may_be_there_of_each_group_s_largest_type(place):
    stubbed = {"service-quotas": allowed("ec2", "L-34B43A08", 1500.0)}

    # 30 machines that may all be r5.8xlarge, of 32 vCPUs each.
    assert lines(quotas.spot, place(stubbed=stubbed)) == [
        "ok main vCPUs of Standard instances, spot: 960 needed, 1,500 allowed."
    ]


def test_a_quota_that_is_too_small_is_told_with_the_command_that_raises_it(place):
    # 3 x 8 + 4 x 8 + 3 x 16
    stubbed = {"service-quotas": by_default("ec2", "L-1216C47A", 5.0)}

    assert lines(quotas.on_demand, place(stubbed=stubbed)) == [
        "problem main vCPUs of Standard instances, on demand: 104 needed, 5 allowed. `aws service-quotas "
        "request-service-quota-increase --region us-east-1 --service-code ec2 --quota-code L-1216C47A "
        "--desired-value 104`."
    ]


def test_machines_of_others_are_counted_and_our_own_are_not_counted_twice(place):
    machine("c5.4xlarge")
    machine("r6i.4xlarge", [("eks:cluster-name", "acme-trial-spark-a")])
    machine("g5.4xlarge")
    stubbed = {"service-quotas": allowed("ec2", "L-1216C47A", 125.0)}

    findings = lines(quotas.on_demand, place(stubbed=stubbed))

    assert findings == [
        "warning main vCPUs of Standard instances, on demand: 104 needed, 16 in use by others, 125 allowed: "
        "not much is left. `aws service-quotas request-service-quota-increase --region us-east-1 "
        "--service-code ec2 --quota-code L-1216C47A --desired-value 120`."
    ]


def test_classes_of_instance_types_have_quotas_of_their_own(place):
    def with_gpus(written):
        groups = written["clusters"]["spark-a"]["node_groups"]
        groups["executor"].update(instance_types=["g6.4xlarge", "p5.48xlarge"], maximum=2)

    stubbed = {
        "service-quotas": [*allowed("ec2", "L-3819A6DF", 64.0), *allowed("ec2", "L-C4BD4855", 0.0)],
    }

    assert [
        line.partition(" allowed")[0] for line in lines(quotas.spot, place(with_gpus, stubbed=stubbed))
    ] == [
        "ok main vCPUs of G and VT instances, spot: 32 needed, 64",
        "problem main vCPUs of P5 instances, spot: 384 needed, 0",
    ]


@pytest.mark.parametrize(
    ("type_", "class_"),
    [
        ("m7g.large", "Standard"),
        ("im4gn.large", "Standard"),
        ("inf2.xlarge", "Inf"),
        ("trn1.2xlarge", "Trn"),
        ("t4g.large", "Standard"),
        ("gr6.4xlarge", "G and VT"),
        ("hpc7g.4xlarge", "HPC"),
        ("u-6tb1.56xlarge", "High Memory"),
        ("x2gd.4xlarge", "X"),
    ],
)
def test_the_class_of_a_type_is_that_of_its_family(type_, class_):
    assert vcpu_class(type_) == class_


def test_ec2_is_asked_for_the_vcpus_of_bare_metal(place):
    def on_metal(written):
        groups = written["clusters"]["spark-a"]["node_groups"]
        groups["executor"].update(instance_types=["r6i.metal"], maximum=2)

    stubbed = {"service-quotas": allowed("ec2", "L-34B43A08", 1000.0)}

    assert lines(quotas.spot, place(on_metal, stubbed=stubbed)) == [
        "ok main vCPUs of Standard instances, spot: 256 needed, 1,000 allowed."
    ]


def test_a_generation_that_retires_is_there_beside_the_new_one(place):
    def renewed(written):
        groups = written["clusters"]["spark-a"]["node_groups"]
        groups["executor"].update(generation=2, retiring={1: {"instance_types": ["r5.4xlarge"]}})

    stubbed = {"service-quotas": allowed("ec2", "L-34B43A08", 9000.0)}

    assert lines(quotas.spot, place(renewed, stubbed=stubbed)) == [
        "ok main vCPUs of Standard instances, spot: 1,440 needed, 9,000 allowed."
    ]


def test_what_is_needed_is_told_where_nobody_says_what_is_allowed(place):
    parameters = {"ServiceCode": "ec2", "QuotaCode": "L-34B43A08"}
    stubbed = {"service-quotas": [("get_service_quota", parameters, "AccessDeniedException")]}

    assert lines(quotas.spot, place(stubbed=stubbed)) == [
        "not checked main vCPUs of Standard instances, spot: 960 needed; what is allowed is not known: it "
        "needs the permission servicequotas:GetServiceQuota."
    ]


def test_what_others_use_is_not_taken_for_nothing_where_nobody_says_so(place):
    stubbed = {
        "ec2": [("describe_vpcs", {}, "UnauthorizedOperation")],
    }

    assert lines(count_of("L-F678F1CE"), place(stubbed=stubbed)) == [
        "not checked main VPCs: 1 needed (what others use is not known: it needs the permission "
        "ec2:DescribeVpcs), 5 allowed."
    ]


def test_vpcs_of_others_leave_no_room(place):
    ec2 = client("ec2")
    for number in range(4):  # and the default one
        ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")

    assert lines(count_of("L-F678F1CE"), place()) == [
        "problem main VPCs: 1 needed, 5 in use by others, 5 allowed. `aws service-quotas "
        "request-service-quota-increase --region us-east-1 --service-code vpc --quota-code L-F678F1CE "
        "--desired-value 6`."
    ]


def test_a_vpc_of_this_environment_is_not_counted_twice(place):
    ec2 = client("ec2")
    tags = [{"Key": "moka:environment", "Value": "trial"}]
    ec2.create_vpc(CidrBlock="10.8.0.0/18", TagSpecifications=[{"ResourceType": "vpc", "Tags": tags}])

    assert lines(count_of("L-F678F1CE"), place()) == [
        "ok main VPCs: 1 needed, 1 in use by others, 5 allowed."
    ]


def test_each_nat_gateway_takes_an_address(place):
    client("ec2").allocate_address(Domain="vpc")
    stubbed = {"service-quotas": allowed("ec2", "L-0263D0A3", 5.0)}

    assert lines(count_of("L-0263D0A3"), place(stubbed=stubbed)) == [
        "ok main Elastic IP addresses: 3 needed, 1 in use by others, 5 allowed."
    ]


def test_the_fullest_zone_counts_for_nat_gateways(place):
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24", AvailabilityZone="us-east-1b")["Subnet"]
    for _ in range(5):
        ec2.create_nat_gateway(SubnetId=subnet["SubnetId"], ConnectivityType="private")

    [finding] = lines(quotas.nat_gateways, place())

    assert finding.startswith("problem main NAT gateways a zone: 1 needed, 5 in use by others, 5 allowed.")


def test_root_disks_are_counted_in_tib(place):
    def with_disks(written):
        written["clusters"]["spark-a"]["node_groups"]["executor"].update(
            disk={"gib": 2048, "mibps": 250}, maximum=40
        )

    stubbed = {"service-quotas": by_default("ebs", "L-7A658B76", 50.0)}

    [finding] = lines(count_of("L-7A658B76"), place(with_disks, stubbed=stubbed))

    assert finding.startswith("problem main TiB of gp3 disks: 81.3 needed, 50 allowed.")


def test_volumes_of_pods_count_as_root_disks_do(place):
    def on_volumes(written):
        written["clusters"]["spark-a"]["shuffle"]["storage"] = {"volumes": {"count": 4, "gib": 10240}}
        written["metrics"] = {"store": {"disk_gib": 100 + 1024}}

    def needed(*changes):
        stubbed = {"service-quotas": allowed("ebs", "L-7A658B76", 500.0)}
        [finding] = lines(count_of("L-7A658B76"), place(*changes, stubbed=stubbed))
        return float(re.search(r"([\d.]+) needed", finding)[1])

    # Four of 10 TiB for each of three workers, and a TiB more for metrics.
    assert needed(on_volumes) - needed() == pytest.approx(121)


def test_groups_of_a_cluster_and_machines_of_a_group_have_limits(place):
    def a_zone(written):
        written["clusters"]["spark-a"]["node_groups"]["executor"].update(per_zone=True, maximum=450)
        # So many would pull too much from Docker Hub.
        written["charts"] = {"mirror": "registry.example/mirror"}

    stubbed = {"service-quotas": [*allowed("eks", "L-6D54EA21", 30.0), *allowed("eks", "L-BD136A63", 100.0)]}

    findings = lines(quotas.node_groups, place(a_zone, stubbed=stubbed))

    assert findings[0] == "ok main/spark-a Managed node groups: 12 needed, 30 allowed."
    assert findings[1].startswith(
        "problem main/spark-a Machines of node group executor: 150 needed, 100 allowed."
    )


def test_machines_need_network_interfaces_two_each_where_pods_have_subnets_of_their_own(place):
    def together(written):
        written["foundations"]["main"]["network"]["pod_cidrs"] = []

    of_interfaces = count_of("L-DF5E4CA3")

    assert lines(of_interfaces, place()) == ["ok main Network interfaces: 104 needed, 5,000 allowed."]
    assert lines(of_interfaces, place(together)) == ["ok main Network interfaces: 52 needed, 5,000 allowed."]


def test_units_of_the_vpc_are_those_of_nodes_interfaces_prefixes_and_what_aws_connects(place):
    def together(written):
        written["foundations"]["main"]["network"]["pod_cidrs"] = []

    def alone(written):
        written["foundations"]["main"]["network"]["interface_endpoints"] = False

    units = count_of("L-BB24F6E5")
    # 40 nodes and 12 that come in an update, two of system and two of executors a zone, each with an
    # interface for pods: 52 + 2 x 52. Prefixes: 7 of 110 pods, 4 of 58, 2 of 24: 13 x 7 + 36 x 4 + 3 x 2.
    # 6 each: 3 of the load balancer, 3 NAT gateways, 3 x 12 endpoints.
    allowed_of = {"service-quotas": allowed("vpc", "L-BB24F6E5", 64_000.0)}
    assert lines(units, place(stubbed=allowed_of)) == [
        "ok main Units of Network Address Usage of the VPC: 649 needed, 64,000 allowed."
    ]
    assert lines(units, place(together, stubbed=allowed_of)) == [
        "ok main Units of Network Address Usage of the VPC: 545 needed, 64,000 allowed."
    ]
    few = {"service-quotas": allowed("vpc", "L-BB24F6E5", 300.0)}
    [line] = lines(units, place(alone, stubbed=few))
    assert line.startswith("problem main Units of Network Address Usage of the VPC: 451 needed, 300 allowed.")


SHARED = f"vpc-{1:017x}"
MIDNIGHT = datetime.combine(TODAY, time(), UTC)


def in_a_shared_vpc(written):
    foundation = written["foundations"]["main"]
    foundation.pop("network")
    foundation["existing_network"] = {
        "vpc": SHARED,
        "private_subnets": {"us-east-1a": f"subnet-{1:017x}", "us-east-1b": f"subnet-{2:017x}"},
    }


def usage(*units):
    """What CloudWatch answers: the VPC's usage on the last days, and machines of ours of them."""
    parameters = {
        "Namespace": "AWS/EC2",
        "MetricName": "NetworkAddressUsage",
        "Dimensions": [{"Name": "Per-VPC Metrics", "Value": SHARED}],
        "StartTime": MIDNIGHT - timedelta(days=2),
        "EndTime": MIDNIGHT + timedelta(days=1),
        "Period": 3600,
        "Statistics": ["Maximum"],
    }
    points = [
        {"Timestamp": MIDNIGHT - timedelta(days=1 - day), "Maximum": number}
        for day, number in enumerate(units)
    ]
    return [("get_metric_statistics", parameters, {"Datapoints": points[::-1]})]


def of_machines(*tags):
    """What EC2 answers of one machine: its own interface, and one of its pods with two prefixes."""
    interfaces = [
        {
            "VpcId": vpc,
            "Attachment": {"DeviceIndex": index},
            "PrivateIpAddresses": [{}],
            "Ipv4Prefixes": [{}] * n,
        }
        for vpc in (SHARED, f"vpc-{2:017x}")
        for index, n in ((0, 0), (1, 2))
    ]
    instance = {"InstanceId": "i-1", "Tags": list(tags), "NetworkInterfaces": interfaces}
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    answer = {"Reservations": [{"Instances": [instance]}]}
    return [("describe_instances", {"Filters": running}, answer)]


OURS = {"Key": "eks:cluster-name", "Value": "acme-trial-spark-a"}


@pytest.mark.parametrize(
    ("units", "tags", "says"),
    [
        ((70_000.0, 63_000.0), (), "problem main {}: 279 needed, 63,000 in use by others, 63,100 allowed."),
        # An address of the machine itself; an interface, its address and two prefixes of its pods.
        ((400.0,), (OURS,), "ok main {}: 279 needed, 395 in use by others, 63,100 allowed."),
        ((3.0,), (OURS,), "ok main {}: 279 needed, 63,100 allowed."),
    ],
)
def test_units_that_others_use_in_an_existing_vpc_are_added(place, units, tags, says):
    stubbed = {
        "service-quotas": allowed("vpc", "L-BB24F6E5", 63_100.0),
        "cloudwatch": usage(*units),
        "ec2": of_machines(*tags),
    }

    [line] = lines(count_of("L-BB24F6E5"), place(in_a_shared_vpc, stubbed=stubbed))

    assert line.startswith(says.format("Units of Network Address Usage of the VPC"))


def test_units_of_an_existing_vpc_that_sends_no_metric_are_not_checked(place):
    stubbed = {"service-quotas": allowed("vpc", "L-BB24F6E5", 64_000.0), "cloudwatch": usage()}

    assert lines(count_of("L-BB24F6E5"), place(in_a_shared_vpc, stubbed=stubbed)) == [
        "not checked main Units of Network Address Usage of the VPC: 279 needed (what others use is not "
        f"known: {SHARED} sends no metric NetworkAddressUsage, which it does a day after `aws ec2 "
        f"modify-vpc-attribute --region us-east-1 --vpc-id {SHARED} "
        "--enable-network-address-usage-metrics`), 64,000 allowed."
    ]


def test_roles_are_compared_with_what_iam_itself_allows(place):
    assert lines(quotas.roles, place()) == ["ok main IAM roles: about 11 needed, 0 in use, 1,000 allowed."]
