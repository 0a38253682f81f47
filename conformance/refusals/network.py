"""Ranges, routes, gateways, security groups and endpoints that EC2 refuses."""

from pulumi_aws import ec2

from conformance.refusals.probe import Probe

NO_GATEWAY = "nat-0123456789abcdef0"

PROBES = (
    Probe(
        rule="vpc-ranges",
        name="range-of-other-private-addresses",
        code="InvalidVpc.Range",
        type=ec2.VpcIpv4CidrBlockAssociation,
        inputs=lambda base: {"vpc_id": base.vpc_id, "cidr_block": "172.16.0.0/16"},
    ),
    Probe(
        rule="subnet-ranges",
        name="subnet-of-another-network",
        code="InvalidSubnet.Range",
        type=ec2.Subnet,
        inputs=lambda base: {"vpc_id": base.vpc_id, "cidr_block": "10.99.0.0/24"},
    ),
    Probe(
        rule="subnet-ranges",
        name="subnet-in-no-zone",
        code="InvalidParameterValue",
        type=ec2.Subnet,
        inputs=lambda base: {
            "vpc_id": base.vpc_id,
            "cidr_block": "10.213.9.0/24",
            "availability_zone": f"{base.region}z",
        },
    ),
    Probe(
        rule="subnet-reservations",
        name="reservation-outside-of-its-subnet",
        code="InvalidParameterValue",
        type=ec2.SubnetCidrReservation,
        inputs=lambda base: {
            "subnet_id": base.subnet_ids[0],
            "cidr_block": "10.99.0.0/28",
            "reservation_type": "prefix",
        },
    ),
    Probe(
        rule="route-targets",
        name="route-to-no-gateway",
        code="InvalidNatGatewayID.NotFound",
        type=ec2.Route,
        inputs=lambda base: {
            "route_table_id": base.route_table_id,
            "destination_cidr_block": "198.51.100.0/24",
            "nat_gateway_id": NO_GATEWAY,
        },
    ),
    Probe(
        rule="security-group-values",
        name="group-with-a-sign-in-its-description",
        code="InvalidParameterValue",
        type=ec2.SecurityGroup,
        inputs=lambda base: {"vpc_id": base.vpc_id, "description": "jobs of a < b"},
    ),
    Probe(
        rule="endpoint-services",
        name="gateway-of-an-interface-service",
        code="InvalidParameter",
        type=ec2.VpcEndpoint,
        inputs=lambda base: {
            "vpc_id": base.vpc_id,
            "vpc_endpoint_type": "Gateway",
            "service_name": f"com.amazonaws.{base.region}.sts",
        },
    ),
    Probe(
        rule="endpoint-places",
        name="endpoint-with-private-names-that-nobody-resolves",
        code="InvalidParameter",
        type=ec2.VpcEndpoint,
        inputs=lambda base: {
            "vpc_id": base.vpc_id,
            "vpc_endpoint_type": "Interface",
            "service_name": f"com.amazonaws.{base.region}.sts",
            "subnet_ids": [base.subnet_ids[0]],
            "private_dns_enabled": True,
        },
    ),
    Probe(
        rule="launch-template-values",
        name="template-with-a-blank-in-its-name",
        code="InvalidLaunchTemplateName.MalformedException",
        type=ec2.LaunchTemplate,
        inputs=lambda base: {"name": "driver amd64"},
    ),
    Probe(
        rule="volume-performance",
        name="template-with-too-many-iops",
        code="InvalidParameterValue",
        type=ec2.LaunchTemplate,
        inputs=lambda base: {
            "block_device_mappings": [
                {
                    "device_name": "/dev/xvda",
                    "ebs": {"volume_size": 8, "volume_type": "gp3", "iops": 16_000},
                }
            ]
        },
    ),
    Probe(
        rule="tags",
        name="vpc-with-a-tag-of-aws",
        code="InvalidParameterValue",
        type=ec2.Vpc,
        inputs=lambda base: {"cidr_block": "10.214.0.0/16", "tags": {"aws:owner": "moka"}},
    ),
    Probe(
        rule="log-values",
        name="flow-log-of-two-minutes",
        code="InvalidParameter",
        type=ec2.FlowLog,
        inputs=lambda base: {
            "vpc_id": base.vpc_id,
            "traffic_type": "ALL",
            "log_destination_type": "s3",
            "log_destination": base.bucket.apply(lambda name: f"arn:aws:s3:::{name}"),
            "max_aggregation_interval": 120,
        },
    ),
    Probe(
        rule="instance-types-of-region",
        name="template-of-an-instance-type-that-is-none",
        code="InvalidParameterValue",
        type=ec2.LaunchTemplate,
        inputs=lambda base: {"instance_type": "m7g.huge"},
    ),
    Probe(
        rule="instance-parts",
        name="instance-of-an-image-by-its-name",
        code="InvalidAMIID.Malformed",
        type=ec2.Instance,
        inputs=lambda base: {
            "ami": "ami-amazon-linux",
            "instance_type": "t3.micro",
            "subnet_id": base.subnet_ids[0],
        },
    ),
)
