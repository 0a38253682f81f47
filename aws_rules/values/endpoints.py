"""VPC endpoints: names of services, subnets, private names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict, words

RULE = Rule(
    name="endpoint-services",
    authority="AWS",
    decides="whether a region has a service that a VPC endpoint names",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html",
)

PLACES = Rule(
    name="endpoint-places",
    authority="AWS",
    decides="whether an interface endpoint may be in its subnets, its security groups are there, and its VPC "
    "resolves its private names",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",
)

RULES = (RULE, PLACES)

GATEWAYS = frozenset({"s3", "dynamodb"})
"""Services with gateway endpoints; of their own page, gateway-endpoints.html."""

INTERFACES = words(
    """
    access-analyzer acm-pca airflow.api airflow.env airflow.ops application-autoscaling aps aps-workspaces
    athena autoscaling autoscaling-plans backup batch bedrock bedrock-runtime cloudformation cloudtrail
    cloudwatch codeartifact.api codeartifact.repositories codebuild codecommit codepipeline config datasync
    dms dynamodb ebs ec2 ec2messages ecr.api ecr.dkr ecs ecs-agent ecs-telemetry eks eks-auth elasticache
    elasticfilesystem elasticloadbalancing elasticmapreduce email-smtp emr-containers emr-serverless events
    execute-api firehose fis glue grafana guardduty-data iam imagebuilder inspector2 kafka kinesis-firehose
    kinesis-streams kms kms-fips lakeformation lambda license-manager logs macie2 monitoring organizations
    pricing.api prod.emr-services rds rds-data redshift redshift-data resource-groups s3 sagemaker.api
    sagemaker.runtime secretsmanager securityhub servicecatalog servicediscovery servicequotas sns sqs ssm
    ssmmessages states sts support sync-states synthetics tagging textract transcribe translate workspaces
    xray
    """
)
"""Services with interface endpoints. Source: of the rule."""

_NAME = re.compile(r"(?:cn\.)?com\.amazonaws\.(?P<region>[a-z]{2,4}(?:-[a-z]+)+-\d+)\.(?P<service>.+)")


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """The service of an endpoint."""
    name = request.value_at("ServiceName")
    if not isinstance(name, str) or name.startswith(("com.amazonaws.vpce.", "aws.")):
        return
    message = f"The Vpc Endpoint Service '{name}' does not exist"
    match = _NAME.fullmatch(name)
    if match is None or match["region"] != request.region:
        remedy = f"name a service of {request.region}: com.amazonaws.{request.region}.<service>"
        yield request.misfit(RULE, ("ServiceName",), "InvalidServiceName", message, remedy)
    elif request.members.get("VpcEndpointType", "Gateway") == "Gateway" and match["service"] not in GATEWAYS:
        message = f"Endpoint type (Gateway) does not match available service types for {name}"
        remedy = f"make it an Interface; Gateway is for {', '.join(sorted(GATEWAYS))}"
        yield request.misfit(RULE, ("VpcEndpointType",), "InvalidParameter", message, remedy)
    elif match["service"] not in INTERFACES:
        yield request.gap(RULE, f"the service {name}")


def places(
    request: Request,
    subnets: Sequence[Mapping[str, Any]],
    groups: Mapping[str, str],
    endpoints: Sequence[Mapping[str, Any]],
    *,
    resolves: bool,
) -> Iterator[ValueVerdict]:
    """Subnets, security groups and private names of a new interface endpoint.

    subnets: as EC2 describes them. groups: every security group -> its VPC. endpoints: those of its VPC.
    resolves: enableDnsSupport and enableDnsHostnames of that are both set.
    """
    vpc, name = request.value_at("VpcId"), str(request.value_at("ServiceName"))
    strangers = [subnet["SubnetId"] for subnet in subnets if subnet["VpcId"] != vpc]
    zones = [subnet["AvailabilityZone"] for subnet in subnets]
    path = ("SubnetIds",)
    if strangers:
        message = f"The subnet ID '{strangers[0]}' does not belong to VPC {vpc}"
        yield request.misfit(PLACES, path, "InvalidParameter", message, "name subnets of the endpoint's VPC")
    elif len(set(zones)) < len(zones):
        twice = next(subnet for subnet in subnets if zones.count(subnet["AvailabilityZone"]) > 1)
        message = f"Found another VPC endpoint subnet in the availability zone of {twice['SubnetId']}"
        yield request.misfit(PLACES, path, "DuplicateSubnetsInSameZone", message, "name one subnet a zone")
    for group in request.value_at("SecurityGroupIds") or ():
        # In AWS's words: motdotla/node-lambda#162.
        if isinstance(group, str) and groups.get(group) != vpc:
            message = f"The security group '{group}' does not exist"
            remedy = f"name security groups of {vpc}"
            yield request.misfit(PLACES, ("SecurityGroupIds",), "InvalidGroup.NotFound", message, remedy)
    if not request.value_at("PrivateDnsEnabled"):
        return
    path = ("PrivateDnsEnabled",)
    if not resolves:
        message = (
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set "
            f"to true for {vpc}"
        )
        yield request.misfit(PLACES, path, "InvalidParameter", message, "set both of the VPC")
    elif any(
        endpoint["ServiceName"] == name
        and endpoint.get("PrivateDnsEnabled")
        and endpoint["State"] != "deleted"
        for endpoint in endpoints
    ):
        message = (
            "private-dns-enabled cannot be set because there is already a conflicting DNS domain for "
            f"{name.rpartition('.')[2]}.{request.region}.amazonaws.com in the VPC {vpc}"
        )
        remedy = "use the endpoint that is there, or set privateDnsEnabled to false"
        yield request.misfit(PLACES, path, "InvalidParameter", message, remedy)
