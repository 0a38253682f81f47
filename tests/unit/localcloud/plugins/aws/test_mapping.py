import json

import pytest
from botocore.session import Session

from localcloud.errors import Refusal
from localcloud.plugins.aws.mapping import (
    at,
    camel,
    from_members,
    loosely_equal,
    same_document,
    to_members,
)


@pytest.fixture(scope="module")
def shape():
    """The shape of an operation's request or answer."""
    session = Session()

    def find(service, operation, side):
        return getattr(session.get_service_model(service).operation_model(operation), f"{side}_shape")

    return find


@pytest.mark.parametrize(
    "member, name",
    [
        ("VpcId", "vpcId"),
        ("KMSMasterKeyID", "kmsMasterKeyId"),
        ("SSEAlgorithm", "sseAlgorithm"),
        ("ID", "id"),
        ("MFADelete", "mfaDelete"),
        ("httpPutResponseHopLimit", "httpPutResponseHopLimit"),
        ("ec2SshKey", "ec2SshKey"),
        ("Ipv6CidrBlock", "ipv6CidrBlock"),
    ],
)
def test_a_member_is_named_as_pulumi_names_it(member, name):
    assert camel(member) == name


def test_properties_go_to_the_members_of_their_name(shape):
    members = to_members(
        {"cidrBlock": "10.0.0.0/16", "instanceTenancy": "default", "enableDnsSupport": True},
        shape("ec2", "CreateVpc", "input"),
    )

    assert members == {"CidrBlock": "10.0.0.0/16", "InstanceTenancy": "default"}


def test_what_is_called_otherwise_goes_where_the_table_says(shape):
    names = {"vpcConfig": "resourcesVpcConfig", "remoteAccess.sourceSecurityGroupIds": "sourceSecurityGroups"}

    cluster = to_members({"vpcConfig": {"subnetIds": ["s"]}}, shape("eks", "CreateCluster", "input"), names)
    group = to_members(
        {"remoteAccess": {"sourceSecurityGroupIds": ["g"]}}, shape("eks", "CreateNodegroup", "input"), names
    )

    assert cluster == {"resourcesVpcConfig": {"subnetIds": ["s"]}}
    assert group == {"remoteAccess": {"sourceSecurityGroups": ["g"]}}


def test_values_become_what_aws_takes(shape):
    request = shape("ec2", "CreateLaunchTemplate", "input").members["LaunchTemplateData"]
    ebs = {"encrypted": "true", "volumeSize": 10, "kmsKeyId": None}

    members = to_members(
        {
            "blockDeviceMappings": [{"ebs": ebs}],
            "tagSpecifications": [{"resourceType": "volume", "tags": {"Name": "x"}}],
        },
        request,
    )

    assert members["BlockDeviceMappings"] == [{"Ebs": {"Encrypted": True, "VolumeSize": 10}}]
    assert members["TagSpecifications"] == [
        {"ResourceType": "volume", "Tags": [{"Key": "Name", "Value": "x"}]}
    ]


@pytest.mark.parametrize("name", ["httpToken", "HttpTokens", "http_tokens"])
def test_a_name_that_pulumi_does_not_have_is_refused(shape, name):
    request = shape("ec2", "CreateLaunchTemplate", "input").members["LaunchTemplateData"]

    with pytest.raises(Refusal, match=f"There is no {name} in metadataOptions"):
        to_members({"metadataOptions": {name: "required"}}, request)


def test_an_answer_comes_back_under_pulumis_names(shape):
    answer = {"cluster": {"name": "c", "resourcesVpcConfig": {"vpcId": "v"}, "tags": {"Name": "x"}}}

    members, inner = at(answer, shape("eks", "DescribeCluster", "output"), "cluster")

    assert from_members(members, inner, {"vpcConfig": "resourcesVpcConfig"}) == {
        "name": "c",
        "vpcConfig": {"vpcId": "v"},
        "tags": {"Name": "x"},
    }


def test_nothing_is_found_where_there_is_nothing(shape):
    output = shape("ec2", "DescribeNatGateways", "output")

    assert at({"NatGateways": []}, output, "NatGateways[0].NatGatewayAddresses[0].PublicIp")[0] is None


def test_documents_are_compared_by_what_they_say():
    listed = {"Statement": [{"Action": ["a", "b"], "Resource": ["*"], "Condition": {"Bool": {"x": "true"}}}]}
    plain = {"Statement": {"Resource": "*", "Action": ["b", "a"], "Condition": {"Bool": {"x": True}}}}

    assert same_document(json.dumps(listed), json.dumps(plain))
    assert not same_document(json.dumps(listed), json.dumps({"Statement": []}))
    assert not same_document("no JSON", json.dumps(listed))


def test_scalars_that_are_the_same_to_aws_are_equal():
    assert loosely_equal("true", True) and loosely_equal(1, "1")
    assert not loosely_equal("1", "2") and not loosely_equal(None, "")
