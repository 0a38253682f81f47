import pytest

from doctor.leftovers import Known, Tagged, known, left, standing
from tests.support.aws_stubs import client

CLUSTER = "acme-trial-spark-a"
NOTHING = Known(frozenset(), frozenset())


def tagged(kind, **tags):
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]


@pytest.fixture
def ec2():
    return client("ec2")


@pytest.fixture
def vpc(ec2):
    """The id of a VPC of the environment."""
    tags = tagged("vpc", **{"moka:environment": "trial", "Name": "main"})
    return ec2.create_vpc(CidrBlock="10.8.0.0/18", TagSpecifications=tags)["Vpc"]["VpcId"]


def interface(ec2, vpc, **tags):
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.0.0/24")["Subnet"]["SubnetId"]
    made = ec2.create_network_interface(
        SubnetId=subnet, TagSpecifications=tagged("network-interface", **tags)
    )
    return made["NetworkInterface"]["NetworkInterfaceId"]


def state(*resources):
    return {"version": 3, "deployment": {"resources": list(resources)}}


def test_what_has_the_environments_tag_and_is_in_no_stack_is_left(place, vpc):
    [thing] = left(standing(place()), NOTHING)

    assert (thing.foundation, thing.service, thing.what) == ("main", "ec2", f"vpc/{vpc}")
    assert (thing.name, thing.cluster) == ("main", "")


def test_what_a_stack_has_is_not_left(place, vpc):
    stacks = known([state({"type": "aws:ec2/vpc:Vpc", "id": vpc, "outputs": {}})])

    assert left(standing(place()), stacks) == []


def test_of_another_environment_nothing_is_listed(place, ec2):
    ec2.create_vpc(CidrBlock="10.9.0.0/18", TagSpecifications=tagged("vpc", **{"moka:environment": "other"}))

    assert left(standing(place()), NOTHING) == []


@pytest.mark.parametrize(
    "tags",
    [
        {"cluster.k8s.amazonaws.com/name": CLUSTER},
        {f"kubernetes.io/cluster/{CLUSTER}": "owned", "eks:eni:owner": "amazon-vpc-cni"},
    ],
)
def test_what_a_cluster_made_is_left_once_the_cluster_is_gone(place, ec2, vpc, tags):
    name = interface(ec2, vpc, **tags)
    stands = {"type": "aws:eks/cluster:Cluster", "id": CLUSTER, "outputs": {"name": CLUSTER}}
    network = {"type": "aws:ec2/vpc:Vpc", "id": vpc}

    [thing] = left(standing(place()), known([state(network)]))

    assert (thing.what, thing.cluster) == (f"network-interface/{name}", CLUSTER)
    assert left(standing(place()), known([state(network, stands)])) == []


def test_a_cluster_that_the_settings_do_not_have_any_more_is_looked_for_by_name(place, ec2, vpc):
    interface(ec2, vpc, **{"cluster.k8s.amazonaws.com/name": "acme-trial-spark-b"})
    stacks = known([state({"type": "aws:ec2/vpc:Vpc", "id": vpc})])

    assert left(standing(place()), stacks) == []
    assert [thing.cluster for thing in left(standing(place(), ["spark-b"]), stacks)] == ["acme-trial-spark-b"]


def test_log_groups_that_eks_and_rds_made_anew_are_found_by_their_names(place):
    def with_database(written):
        written["database"] = {}

    logs = client("logs")
    groups = (f"/aws/eks/{CLUSTER}/cluster", "/aws/rds/cluster/acme-trial-database-1/postgresql")
    for name in (*groups, "/aws/eks/acme-other-spark-a/cluster"):
        logs.create_log_group(logGroupName=name)

    things = left(standing(place(with_database)), NOTHING)

    assert [thing.what for thing in things] == [f"log-group:{name}" for name in groups]
    arns = [thing.arn for thing in things]
    stacks = known([state(*({"type": "t", "id": "i", "outputs": {"arn": arn}} for arn in arns))])
    assert left(things, stacks) == []


def test_a_log_group_with_its_tags_is_listed_once(place):
    client("logs").create_log_group(
        logGroupName=f"/aws/eks/{CLUSTER}/cluster", tags={"moka:environment": "trial"}
    )

    [group] = left(standing(place()), NOTHING)

    assert group.what == f"log-group:/aws/eks/{CLUSTER}/cluster"


def test_a_role_is_found_by_its_path_as_it_is_not_by_its_tags(place):
    client("iam").create_role(RoleName="spark-a-node", Path="/acme-trial/", AssumeRolePolicyDocument="{}")

    [role] = left(standing(place()), NOTHING)

    assert (role.service, role.name) == ("iam", "spark-a-node")
    stacks = known([state({"type": "aws:iam/role:Role", "id": "spark-a-node", "outputs": {"arn": role.arn}})])
    assert left([role], stacks) == []


def volume(ec2, **tags):
    made = ec2.create_volume(
        AvailabilityZone="us-east-1a",
        Size=1,
        TagSpecifications=tagged("volume", **{"ebs.csi.aws.com/cluster": "true", **tags}),
    )
    return made["VolumeId"]


@pytest.mark.parametrize(
    "tags",
    [{"ebs.csi.aws.com/cluster-name": CLUSTER}, {f"kubernetes.io/cluster/{CLUSTER}": "owned"}],
)
def test_a_volume_that_names_our_cluster_is_left_once_and_for_sure(place, ec2, tags):
    name = volume(ec2, **tags)

    [thing] = left(standing(place()), NOTHING)

    assert (thing.what, thing.cluster, thing.unsure) == (f"volume/{name}", CLUSTER, False)


def test_a_volume_that_names_no_cluster_may_be_anothers(place, ec2):
    name = volume(ec2)

    [thing] = left(standing(place()), NOTHING)

    assert (thing.what, thing.unsure) == (f"volume/{name}", True)


def test_volumes_of_another_cluster_and_volumes_in_use_are_not_listed(place, ec2):
    volume(ec2, **{"kubernetes.io/cluster/other": "owned"})
    [machine] = ec2.run_instances(ImageId="ami-12345678", MinCount=1, MaxCount=1)["Instances"]
    ec2.attach_volume(Device="/dev/sdh", InstanceId=machine["InstanceId"], VolumeId=volume(ec2))

    assert left(standing(place()), NOTHING) == []


def test_a_volume_that_a_stack_has_is_not_listed(place, ec2):
    state_of = state({"type": "aws:ebs/volume:Volume", "id": volume(ec2)})

    assert left(standing(place()), known([state_of])) == []


@pytest.mark.parametrize(
    ("arn", "retained"),
    [
        ("arn:aws:s3:::acme-trial-event-logs", True),
        ("arn:aws:kms:us-east-1:123456789012:key/1", True),
        ("arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1", True),
        ("arn:aws:ec2:us-east-1:123456789012:vpc-endpoint/vpce-1", False),
        ("arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/a/1", False),
    ],
)
def test_what_retain_keeps_stays_on_purpose(arn, retained):
    assert Tagged(foundation="main", arn=arn).is_retained == retained


def test_more_clusters_than_a_filter_takes_are_asked_for_in_several(place, ec2, vpc):
    former = [f"spark-{number}" for number in range(45)]
    interface(ec2, vpc, **{"cluster.k8s.amazonaws.com/name": "acme-trial-spark-9"})

    clusters = {thing.cluster for thing in standing(place(), former)}

    assert clusters == {"", "acme-trial-spark-9"}


def test_a_nat_gateway_that_is_deleted_is_not_left_though_aws_still_shows_it(place, ec2, vpc):
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.1.0/24")["Subnet"]["SubnetId"]
    tags = tagged("natgateway", **{"moka:environment": "trial"})
    made = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private", TagSpecifications=tags)
    gateway = made["NatGateway"]["NatGatewayId"]
    stacks = known([state({"type": "aws:ec2/vpc:Vpc", "id": vpc})])

    assert [thing.what for thing in left(standing(place()), stacks)] == [f"natgateway/{gateway}"]
    ec2.delete_nat_gateway(NatGatewayId=gateway)
    assert left(standing(place()), stacks) == []


@pytest.mark.parametrize("kind", ["cluster-snapshot", "snapshot"])
def test_a_backup_that_rds_makes_is_left_once_its_database_is_gone(kind):
    arn = f"arn:aws:rds:us-east-1:123456789012:{kind}:rds:acme-trial-database-1-2026-11-25-22-13"
    backup = Tagged(foundation="main", arn=arn)
    by_hand = Tagged(foundation="main", arn=arn.replace(":rds:acme", ":acme"))
    database = {"type": "aws:rds/cluster:Cluster", "id": "acme-trial-database-1", "outputs": {}}

    assert left([backup, by_hand], known([state(database)])) == [by_hand]
    assert left([backup], NOTHING) == [backup]


def test_a_key_that_waits_for_its_deletion_is_not_left(place):
    kms = client("kms")
    made = kms.create_key(Tags=[{"TagKey": "moka:environment", "TagValue": "trial"}])["KeyMetadata"]

    assert [thing.arn for thing in left(standing(place()), NOTHING)] == [made["Arn"]]
    kms.schedule_key_deletion(KeyId=made["KeyId"], PendingWindowInDays=7)
    assert left(standing(place()), NOTHING) == []
