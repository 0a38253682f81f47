"""What the provider refuses, and how it says so."""

import json

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.aws.refusals.values import RefusedCall
from localcloud.plugins.provider import InitializationFailed, Naming
from localcloud.unknowns import clear, noted
from tests.local.aws.conftest import two_subnets
from tests.local.aws.tokens import BUCKET, ROLE_ARN, SUBNET, VPC

BUCKET_ACL = "aws:s3/bucketAcl:BucketAcl"
BALANCER = "aws:lb/loadBalancer:LoadBalancer"
EVERYBODY = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b-1/*"}
POLICY_FOR_EVERYBODY = json.dumps({"Version": "2012-10-17", "Statement": [EVERYBODY]})


def test_what_is_missing_and_what_is_unknown_is_told_at_once(bench):
    _, failures = bench.provider.check(
        bench.target(SUBNET), {}, {"cidrBlok": "10.0.0.0/24", "outpostArn": "x"}, Naming()
    )

    reasons = {failure.property: failure.reason for failure in failures}
    assert reasons["vpcId"] == "aws:ec2/subnet:Subnet requires vpcId."
    assert "did you mean cidrBlock?" in reasons["cidrBlok"]
    assert "not simulated" in reasons["outpostArn"]


def test_a_name_inside_a_property_that_does_not_exist_is_told(bench):
    with pytest.raises(Refusal, match="There is no httpToken in metadataOptions"):
        bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"metadataOptions": {"httpToken": "required"}})


def test_a_bucket_with_something_in_it_is_only_deleted_when_told_to(bench):
    bucket = bench.make(BUCKET, {"bucket": "full"})
    bench.provider.api.client("s3").put_object(Bucket="full", Key="x", Body=b"x")

    with pytest.raises(Refusal, match="Bucket full is not empty"):
        bench.delete(bucket)
    forced = bench.change(bucket, {"bucket": "full", "forceDestroy": True})
    bench.delete(forced)
    assert bench.read(forced) is None
    bench.resources.remove(bucket)


def test_a_bucket_that_is_there_already_is_not_taken_over(bench):
    bench.make(BUCKET, {"bucket": "mine"})

    with pytest.raises(Refusal, match="There is a bucket mine already"):
        bench.make(BUCKET, {"bucket": "mine"}, name="second")


@pytest.mark.parametrize(
    ("inputs", "refused"),
    [
        (
            {"acl": "public-read"},
            "InvalidBucketAclWithObjectOwnership.*leave out the acl public-read of bucket b-1",
        ),
        ({"versioning": {"status": "Enabled"}}, "there is no status beside enabled, mfaDelete: leave it out"),
        ({"website": {"index": "index.html"}}, "there is no index beside indexDocument"),
        ({"policy": POLICY_FOR_EVERYBODY}, "public policies are blocked by the BlockPublicPolicy"),
        ({"logging": {"targetBucket": "not-there"}}, "InvalidTargetBucketForLogging"),
    ],
)
def test_what_s3_does_not_take_in_a_bucket_is_refused(bench, inputs, refused):
    with pytest.raises((Refusal, InitializationFailed), match=refused):
        bench.make(BUCKET, {"bucket": "b-1", **inputs})


def test_a_bucket_takes_acls_only_where_its_owner_wants_them_and_lets_others_in(bench):
    bench.make(BUCKET, {"bucket": "b-2"})
    acl = {"bucket": "b-2", "acl": "public-read"}
    with pytest.raises(Refusal, match="The bucket does not allow ACLs"):
        bench.make(BUCKET_ACL, acl)

    owner = {"bucket": "b-2", "rule": {"objectOwnership": "BucketOwnerPreferred"}}
    bench.make("aws:s3/bucketOwnershipControls:BucketOwnershipControls", owner)
    with pytest.raises(Refusal, match="public ACLs are blocked"):
        bench.make(BUCKET_ACL, acl)


def test_a_load_balancer_needs_two_zones_and_to_the_internet_a_gateway(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"}).id
    subnets = two_subnets(bench, vpc)
    with pytest.raises(Refusal, match="two different Availability Zones"):
        bench.make(BALANCER, {"subnets": subnets[:1]})
    with pytest.raises(Refusal, match=f"VPC {vpc} has no internet gateway"):
        bench.make(BALANCER, {"subnets": subnets})

    bench.make(BALANCER, {"subnets": subnets, "internal": True})


def test_an_aws_that_does_not_answer_is_told_with_what_to_do(tmp_path, bench):
    bench.provider = Aws(bench.provider.cloud, "http://127.0.0.1:9")

    with pytest.raises(Refusal, match=r"does not answer; it keeps everything in memory.*make down.*make up"):
        bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})


def test_what_is_there_but_not_finished_is_kept_by_the_engine(bench, monkeypatch):
    real = bench.provider.api.call

    def refusing(service, operation, members, region=""):
        if operation == "modify_vpc_attribute":
            raise Refusal("no")
        return real(service, operation, members, region)

    monkeypatch.setattr(bench.provider.api, "call", refusing)
    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True})
    with pytest.raises(InitializationFailed) as unfinished:
        bench.provider.create(bench.target(VPC), inputs, False, 0)

    assert unfinished.value.id.startswith("vpc-")
    bench.provider.delete(bench.target(VPC, "it", unfinished.value.id), inputs, {}, 0)


def test_a_log_group_that_is_protected_is_not_deleted(bench):
    inputs = {"name": "/audit", "deletionProtectionEnabled": True}
    protected = bench.make("aws:cloudwatch/logGroup:LogGroup", inputs)
    assert bench.read(protected).inputs == protected.inputs

    with pytest.raises(Refusal, match="deletion protection"):
        bench.delete(protected)
    bench.change(protected, {**inputs, "deletionProtectionEnabled": False})


def test_a_range_beside_those_of_a_vpc_has_to_go_with_the_first_one(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.9.0.0/16"})
    further = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"

    with pytest.raises(
        Refusal, match=r"172\.16\.0\.0/16' is restricted.*\(InvalidVpc\.Range\): choose a range"
    ):
        bench.make(further, {"vpcId": vpc.id, "cidrBlock": "172.16.0.0/16"})
    with pytest.raises(Refusal, match=r"conflicts with 10\.9\.0\.0/16"):
        bench.make(further, {"vpcId": vpc.id, "cidrBlock": "10.9.128.0/20"})
    bench.make(further, {"vpcId": vpc.id, "cidrBlock": "100.64.0.0/16"})


def test_a_reservation_is_within_its_subnet_and_overlaps_no_other(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.11.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.11.0.0/24"})
    reservation = "aws:ec2/subnetCidrReservation:SubnetCidrReservation"
    inputs = {"subnetId": subnet.id, "cidrBlock": "10.11.0.128/25", "reservationType": "prefix"}
    first = bench.make(reservation, inputs)

    with pytest.raises(Refusal, match=r"should be within subnet CIDR block .10\.11\.0\.0/24"):
        bench.make(reservation, {**inputs, "cidrBlock": "10.11.1.0/28"}, name="outside")
    with pytest.raises(Refusal, match=r"10\.11\.0\.192/26 has overlap.*does not overlap 10\.11\.0\.128/25"):
        bench.make(reservation, {**inputs, "cidrBlock": "10.11.0.192/26"}, name="overlapping")
    with pytest.raises(Refusal, match="did you mean"):
        bench.make(reservation, {**inputs, "cidrBlock": "10.11.0.3/28"}, name="inexact")
    bench.delete(first)
    bench.make(reservation, {**inputs, "cidrBlock": "10.11.0.192/26"})


def test_a_reservation_takes_addresses_that_are_in_use_and_leaves_them_where_they_are(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.12.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.12.0.0/24"})
    ec2 = bench.provider.api.client("ec2")
    made = ec2.create_network_interface(SubnetId=subnet.id, PrivateIpAddress="10.12.0.200")
    inputs = {"subnetId": subnet.id, "cidrBlock": "10.12.0.128/25", "reservationType": "prefix"}

    bench.make("aws:ec2/subnetCidrReservation:SubnetCidrReservation", inputs)

    [shown] = ec2.describe_network_interfaces(
        NetworkInterfaceIds=[made["NetworkInterface"]["NetworkInterfaceId"]]
    )["NetworkInterfaces"]
    assert shown["PrivateIpAddress"] == "10.12.0.200"


def test_policies_of_a_role_are_too_long_together(bench):
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    role = bench.make("aws:iam/role:Role", {"name": "long", "assumeRolePolicy": json.dumps(document(trust))})
    long = json.dumps(
        document({"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::" + "x" * 6000})
    )
    bench.make("aws:iam/rolePolicy:RolePolicy", {"role": role.id, "name": "one", "policy": long})

    with pytest.raises(Refusal, match=r"Maximum policy size of 10240 bytes exceeded for role long"):
        bench.make(
            "aws:iam/rolePolicy:RolePolicy", {"role": role.id, "name": "two", "policy": long}, name="two"
        )


def test_services_of_a_cluster_may_not_have_addresses_of_its_vpc(bench):
    vpc = bench.make(VPC, {"cidrBlock": "172.20.0.0/16"})
    inputs = {
        "name": "overlapping",
        "roleArn": ROLE_ARN,
        "vpcConfig": {"subnetIds": two_subnets(bench, vpc.id, "172.20")},
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    }

    with pytest.raises(
        Refusal, match=r"aws:eks/cluster:Cluster it: EKS refuses this: .* overlaps with 172\.20"
    ):
        bench.make("aws:eks/cluster:Cluster", inputs)


def test_a_call_that_no_input_shows_is_held_against_the_model_too(bench):
    with pytest.raises(RefusedCall) as refused:
        bench.provider.api.call("logs", "describe_log_groups", {"logGroupNamePrefix": "a b"})

    assert "failed to satisfy constraint" in str(refused.value)


def document(statement):
    return {"Version": "2012-10-17", "Statement": [statement]}


def test_roles_that_a_policy_names_and_nobody_made_are_listed(bench):
    def lets_in(*roles):
        arns = [f"arn:aws:iam::123456789012:role/{role}" for role in roles]
        statement = {"Effect": "Allow", "Action": "kms:*", "Resource": "*"}
        account = {**statement, "Principal": {"AWS": "arn:aws:iam::123456789012:root"}}
        policy = {"Version": "2012-10-17", "Statement": [account, {**statement, "Principal": {"AWS": arns}}]}
        return {"policy": json.dumps(policy)}

    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    bench.make(
        "aws:iam/role:Role",
        {"name": "etl", "assumeRolePolicy": json.dumps({"Version": "2012-10-17", "Statement": [trust]})},
    )
    key = bench.make("aws:kms/key:Key", lets_in("etl"))
    clear(bench.provider.cloud)

    bench.change(key, lets_in("etl", "analyst"))

    [listed] = noted(bench.provider.cloud)
    assert "whether principal arn:aws:iam::123456789012:role/analyst exists" in listed
    assert "MalformedPolicyDocumentException" in listed


def test_a_vpc_and_subnets_of_an_attachment_to_a_transit_gateway_are_there(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.60.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.60.0.0/24"})
    gone = "subnet-0123456789abcdef0"
    attachment = {"transitGatewayId": "tgw-0123456789abcdef0", "vpcId": vpc.id, "subnetIds": [subnet.id]}

    for change, code in (
        ({"vpcId": "vpc-0123456789abcdef0"}, "InvalidVpcID.NotFound"),
        ({"subnetIds": [subnet.id, gone]}, "InvalidSubnetID.NotFound"),
    ):
        with pytest.raises(Refusal, match=f"{code}.: name one that exists in this account and region"):
            bench.make("aws:ec2transitgateway/vpcAttachment:VpcAttachment", attachment | change)


TRANSIT = "aws:ec2transitgateway/"


def test_what_stands_on_a_transit_gateway_is_refused_as_ec2_does(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.62.0.0/16"})
    one, two = (
        bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": cidr, "availabilityZone": "us-east-1a"})
        for cidr in ("10.62.0.0/24", "10.62.1.0/24")
    )
    gateway = bench.make(TRANSIT + "transitGateway:TransitGateway", {})
    table = bench.make(TRANSIT + "routeTable:RouteTable", {"transitGatewayId": gateway.id})
    attaching = {"transitGatewayId": gateway.id, "vpcId": vpc.id, "subnetIds": [one.id]}

    with pytest.raises(Refusal, match="DuplicateSubnetsInSameZone"):
        bench.make(TRANSIT + "vpcAttachment:VpcAttachment", {**attaching, "subnetIds": [one.id, two.id]})
    attachment = bench.make(TRANSIT + "vpcAttachment:VpcAttachment", attaching)
    with pytest.raises(Refusal, match="has non-deleted Transit Gateway Attachments with same VPC ID"):
        bench.make(TRANSIT + "vpcAttachment:VpcAttachment", attaching)
    use = {"transitGatewayAttachmentId": attachment.id, "transitGatewayRouteTableId": table.id}
    with pytest.raises(Refusal, match="is already associated to a route table"):
        bench.make(TRANSIT + "routeTableAssociation:RouteTableAssociation", use)
    association = bench.make(
        TRANSIT + "routeTableAssociation:RouteTableAssociation", {**use, "replaceExistingAssociation": True}
    )
    bench.make(TRANSIT + "route:Route", {**use, "destinationCidrBlock": "0.0.0.0/0"})
    with pytest.raises(Refusal, match=r"Route 0\.0\.0\.0/0 already exists in Transit Gateway Route Table"):
        bench.make(TRANSIT + "route:Route", {**use, "destinationCidrBlock": "0.0.0.0/0"})
    for resource, reason in (
        (gateway, "has non-deleted VPC Attachments"),
        (table, "has associations"),
        (one, "has dependencies and cannot be deleted"),
    ):
        with pytest.raises(Refusal, match=reason):
            bench.delete(resource)

    for resource in (association, attachment, table, gateway, one):
        bench.delete(resource)
        assert bench.read(resource) is None


def test_a_flow_log_to_a_bucket_that_is_not_there_is_refused_with_what_to_do(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.61.0.0/16"})
    flow_log = {"vpcId": vpc.id, "trafficType": "ALL", "logDestinationType": "s3"}

    with pytest.raises(Refusal, match=r"nobodys-logs does not exist .*: name a destination that exists"):
        bench.make("aws:ec2/flowLog:FlowLog", {**flow_log, "logDestination": "arn:aws:s3:::nobodys-logs"})


ARM64 = {"owners": ["amazon"], "mostRecent": True, "filters": [{"name": "architecture", "values": ["arm64"]}]}


def test_an_image_of_another_architecture_and_a_key_that_is_not_there_are_refused(bench):
    image = bench.provider.invoke("aws:ec2/getAmi:getAmi", ARM64)["id"]

    with pytest.raises(Refusal, match=r"does not match the architecture 'arm64' .*search an image for"):
        bench.make("aws:ec2/instance:Instance", {"ami": image, "instanceType": "m7i.large"})
    with pytest.raises(Refusal, match=r"The key pair 'lost' does not exist .*make it as an ec2.KeyPair"):
        bench.make(
            "aws:ec2/instance:Instance", {"ami": image, "instanceType": "m7g.large", "keyName": "lost"}
        )


def test_groups_of_an_instance_are_of_the_network_of_its_subnet(bench):
    vpc, other = (bench.make(VPC, {"cidrBlock": f"10.{n}.0.0/16"}, f"vpc-{n}").id for n in (0, 1))
    group = bench.make("aws:ec2/securityGroup:SecurityGroup", {"vpcId": other}).id
    subnet = two_subnets(bench, vpc)[0]
    image = bench.provider.invoke("aws:ec2/getAmi:getAmi", ARM64)["id"]
    inputs = {"ami": image, "instanceType": "m7g.large", "subnetId": subnet, "vpcSecurityGroupIds": [group]}

    with pytest.raises(Refusal, match=rf"{group} and subnet {subnet} belong to different networks"):
        bench.make("aws:ec2/instance:Instance", inputs)


def test_a_zone_that_there_is_not_is_refused_with_those_of_its_region_only(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"}).id

    with pytest.raises(Refusal, match=r"availability zones: us-east-1a, .*, us-east-1f \(Inv") as refused:
        bench.make(SUBNET, {"vpcId": vpc, "cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-1z"})
    assert "us-west" not in str(refused.value)


DATABASE = {
    "engine": "postgres",
    "instanceClass": "db.t4g.micro",
    "allocatedStorage": 20,
    "username": "somebody",
}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"engine": "postgresql"}, "Invalid DB engine .*such as postgres"),
        ({"instanceClass": "t4g.micro"}, r"Invalid DB Instance class: t4g.micro .*such as db.t4g.micro"),
        ({"allocatedStorage": 5}, "Invalid storage size for engine name postgres .*20 GiB or more"),
        ({"password": "short"}, "shorter than 8 characters .*choose a longer one"),
        ({"password": "with/a/slash"}, "Only printable ASCII characters besides"),
    ],
)
def test_what_rds_does_not_take_is_refused(bench, wrong, says):
    with pytest.raises(Refusal, match=says):
        bench.make("aws:rds/instance:Instance", {**DATABASE, "password": "long-enough", **wrong})


CLUSTER_OF_DATABASES = {
    "clusterIdentifier": "votes",
    "engine": "aurora-postgresql",
    "engineVersion": "16.11",
    "masterUsername": "somebody",
    "manageMasterUserPassword": True,
    "skipFinalSnapshot": True,
}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"clusterIdentifier": "two--dashes"}, "two consecutive hyphens"),
        ({"clusterIdentifier": "v" * 64}, "not a valid identifier"),
        ({"engineVersion": "16.5"}, r"Cannot find version 16.5 for aurora-postgresql .*such as 16"),
        ({"databaseName": "votes-of-all"}, "write letters, digits and underscores"),
        ({"masterUsername": "admin"}, "reserved word"),
        ({"masterPassword": "long-enough"}, "take one of the two out"),
        ({"manageMasterUserPassword": None, "masterPassword": "short"}, "shorter than 8 characters"),
        ({"backupRetentionPeriod": 36}, r"Must be between 1 and 35"),
        ({"backupRetentionPeriod": 0}, r"Must be between 1 and 35"),
        (
            {"serverlessv2ScalingConfiguration": {"minCapacity": 0.7, "maxCapacity": 4}},
            "in steps of a half",
        ),
        ({"serverlessv2ScalingConfiguration": {"minCapacity": 8, "maxCapacity": 4}}, "lower the minimum"),
        ({"serverlessv2ScalingConfiguration": {"minCapacity": 0, "maxCapacity": 0.5}}, "ACUs from 1 to 256"),
    ],
)
def test_what_aurora_does_not_take_is_refused(bench, wrong, says):
    inputs = {name: value for name, value in {**CLUSTER_OF_DATABASES, **wrong}.items() if value is not None}

    with pytest.raises(Refusal, match=says):
        bench.make("aws:rds/cluster:Cluster", inputs)


def test_a_serverless_instance_needs_bounds_of_its_cluster(bench):
    cluster = bench.make("aws:rds/cluster:Cluster", CLUSTER_OF_DATABASES)
    instance = {
        "clusterIdentifier": cluster.id,
        "engine": "aurora-postgresql",
        "instanceClass": "db.serverless",
    }

    with pytest.raises(Refusal, match="set serverlessv2ScalingConfiguration of the cluster"):
        bench.make("aws:rds/clusterInstance:ClusterInstance", instance)


def test_a_cluster_is_deleted_without_its_protection_and_after_its_instances(bench):
    protected = {**CLUSTER_OF_DATABASES, "deletionProtection": True}
    cluster = bench.make("aws:rds/cluster:Cluster", protected)
    instance = {
        "clusterIdentifier": cluster.id,
        "engine": "aurora-postgresql",
        "instanceClass": "db.r8g.large",
    }
    first = bench.make("aws:rds/clusterInstance:ClusterInstance", instance)

    with pytest.raises(Refusal, match="disable deletion protection"):
        bench.delete(cluster)
    cluster = bench.change(cluster, {**protected, "deletionProtection": False})
    with pytest.raises(Refusal, match="Cluster cannot be deleted, it still contains DB instances"):
        bench.delete(cluster)
    bench.delete(first)
    bench.delete(cluster)


def test_a_cluster_is_deleted_with_a_last_snapshot_or_expressly_without(bench):
    cluster = bench.make("aws:rds/cluster:Cluster", {**CLUSTER_OF_DATABASES, "skipFinalSnapshot": False})

    with pytest.raises(Refusal, match=r"finalSnapshotIdentifier is required .*set one of the two for votes"):
        bench.delete(cluster)
    last = {**CLUSTER_OF_DATABASES, "skipFinalSnapshot": False, "finalSnapshotIdentifier": "last-of-votes"}
    bench.delete(bench.change(cluster, last))
    bench.resources.remove(cluster)
    snapshots = bench.provider.api.client("rds").describe_db_cluster_snapshots()["DBClusterSnapshots"]
    assert "last-of-votes" in [snapshot["DBClusterSnapshotIdentifier"] for snapshot in snapshots]


def test_subnets_of_databases_are_in_two_zones(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"}).id
    first, _ = two_subnets(bench, vpc)

    with pytest.raises(Refusal, match=r"Current AZ coverage: us-east-1a .*name subnets of two zones"):
        bench.make("aws:rds/subnetGroup:SubnetGroup", {"subnetIds": [first]})


def test_a_database_is_deleted_with_a_last_snapshot_or_expressly_without(bench):
    inputs = {**DATABASE, "password": "long-enough", "identifier": "kept"}
    database = bench.make("aws:rds/instance:Instance", inputs)

    with pytest.raises(Refusal, match=r"finalSnapshotIdentifier is required .*set one of the two for kept"):
        bench.delete(database)
    bench.delete(bench.change(database, {**inputs, "finalSnapshotIdentifier": "last-of-kept"}))
    bench.resources.remove(database)
    snapshots = bench.provider.api.client("rds").describe_db_snapshots()["DBSnapshots"]
    assert "last-of-kept" in [snapshot["DBSnapshotIdentifier"] for snapshot in snapshots]
