"""Who may do what in `local`, on the laptop's AWS; and one change each that AWS denies."""

import json

import pytest

from tests.support.deployment import Refused, few_groups, gone


@pytest.fixture(scope="module")
def account(up):
    """The laptop's environment, which each test changes by hand and puts right again."""
    return up("local")


@pytest.fixture
def hand(account):
    """Changes of IAM and EKS by hand, undone after the test."""
    undo = []
    iam = account.client("iam")

    class Hand:
        def detach(self, role, policy):
            [attached] = [
                attached_policy["PolicyArn"]
                for attached_policy in iam.list_attached_role_policies(RoleName=name(role))[
                    "AttachedPolicies"
                ]
                if attached_policy["PolicyArn"].endswith(f"/{policy}")
            ]
            undo.append(lambda: iam.attach_role_policy(RoleName=name(role), PolicyArn=attached))
            iam.detach_role_policy(RoleName=name(role), PolicyArn=attached)

        def change(self, role, old, new):
            [policy] = iam.list_role_policies(RoleName=name(role))["PolicyNames"]
            key = {"RoleName": name(role), "PolicyName": policy}
            before = json.dumps(iam.get_role_policy(**key)["PolicyDocument"])
            undo.append(lambda: iam.put_role_policy(**key, PolicyDocument=before))
            iam.put_role_policy(**key, PolicyDocument=replaced(before, old, new))

        def trust(self, role, old, new):
            before = json.dumps(iam.get_role(RoleName=name(role))["Role"]["AssumeRolePolicyDocument"])
            key = {"RoleName": name(role)}
            undo.append(lambda: iam.update_assume_role_policy(**key, PolicyDocument=before))
            iam.update_assume_role_policy(**key, PolicyDocument=replaced(before, old, new))

        def key(self, old, new):
            kms, [key] = account.client("kms"), account.of("aws:kms/key:Key").values()
            self._document(
                kms.get_key_policy(KeyId=key.id, PolicyName="default")["Policy"],
                old,
                new,
                lambda policy: kms.put_key_policy(KeyId=key.id, PolicyName="default", Policy=policy),
            )

        def bucket(self, bucket, old, new):
            s3, id = account.client("s3"), account.of("aws:s3/bucket:Bucket")[bucket].id
            self._document(
                s3.get_bucket_policy(Bucket=id)["Policy"],
                old,
                new,
                lambda policy: s3.put_bucket_policy(Bucket=id, Policy=policy),
            )

        def _document(self, before, old, new, put):
            undo.append(lambda: put(before))
            put(replaced(before, old, new))

        def bound(self, role, *statements):
            document = {"Version": "2012-10-17", "Statement": list(statements)}
            bounds = iam.create_policy(PolicyName="bounds", PolicyDocument=json.dumps(document))["Policy"]
            undo.append(lambda: iam.delete_policy(PolicyArn=bounds["Arn"]))
            undo.append(lambda: iam.delete_role_permissions_boundary(RoleName=name(role)))
            iam.put_role_permissions_boundary(RoleName=name(role), PermissionsBoundary=bounds["Arn"])

        def associate(self, account_name, **changes):
            store = account.client("eks").store
            [found] = [
                one
                for one in store.all("podidentityassociation", CLUSTER)
                if one["serviceAccount"] == account_name
            ]
            key = ("podidentityassociation", CLUSTER, found["associationId"])
            undo.append(lambda: store.put(*key, thing=found))
            store.put(*key, thing={**found, **changes})

    def name(role):
        return account.of("aws:iam/role:Role")[role].outputs["name"]

    def replaced(text, old, new):
        assert old in text
        return text.replace(old, new)

    yield Hand()
    for step in reversed(undo):
        step()


CLUSTER = "moka-local-spark-a"


ELSEWHERE = '"Condition": {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}'
ALLOW = {"Effect": "Allow", "Resource": "*"}
JOINED = "Instances failed to join the kubernetes cluster; nodeadm gets: You are not authorized to perform"
UNHEALTHY = "Unhealthy nodes in the kubernetes cluster; "


def test_nothing_of_the_laptop_s_environment_is_refused(account):
    assert account.broken_dependents() == []


@pytest.mark.parametrize(
    ("sabotage", "words"),
    [
        (lambda hand: hand.change("spark-a-node", "ec2:DescribeInstances", "ec2:DescribeImages"), JOINED),
        (lambda hand: hand.change("spark-a-node", '"Effect"', f"{ELSEWHERE}, \"Effect\""), JOINED),
        (lambda hand: hand.change("spark-a-node", '"Allow"', '"Deny"'), "explicit deny in an identity-based"),
        (lambda hand: hand.bound("spark-a-node", {**ALLOW, "Action": ["ecr:*", "eks-auth:*"]}),
         "no permissions boundary allows the ec2:DescribeInstances action (NodeCreationFailure)"),
        (lambda hand: hand.detach("spark-a-node", "AmazonEC2ContainerRegistryPullOnly"),
         "no identity-based policy allows the ecr:GetAuthorizationToken action (NodeCreationFailure)"),
        (lambda hand: hand.detach("spark-a-node", "AmazonEKSWorkerNodeMinimalPolicy"),
         "no identity-based policy allows the eks-auth:AssumeRoleForPodIdentity action"),
        (lambda hand: hand.trust("spark-a-node", "ec2.amazonaws.com", "eks.amazonaws.com"),
         "Following required service principals [ec2.amazonaws.com] were not found"),
        (lambda hand: hand.detach("spark-a-vpc-cni", "AmazonEKS_CNI_Policy"), f"{UNHEALTHY}the VPC CNI gets"),
        (lambda hand: hand.associate("aws-node", serviceAccount="aws-nodes"), f"{UNHEALTHY}the VPC CNI gets"),
        (lambda hand: hand.associate("aws-node", disableSessionTags=True), "EKS does not have permissions"),
        (lambda hand: hand.associate("aws-node", policy='{"Version": "2012-10-17", "Statement": []}'),
         "an association with a policy must have its session tags disabled (InvalidParameterException)"),
        (lambda hand: hand.associate("aws-node", policy=json.dumps(
            {"Version": "2012-10-17", "Statement": [{**ALLOW, "Action": "ec2:Describe*"}]})),
         "no session policy allows the ec2:AssignPrivateIpAddresses action"),
        (lambda hand: hand.trust("spark-a-vpc-cni", CLUSTER, "another"), "EKS does not have permissions"),
        (lambda hand: hand.trust("spark-a-vpc-cni", ', "sts:TagSession"', ""),
         "because no role trust policy allows the sts:TagSession action"),
        (lambda hand: hand.trust("spark-a-aws-ebs-csi-driver", "ebs-csi-controller-sa", "default"),
         "EKS does not have permissions to assume the associated role"),
        (lambda hand: hand.associate("ebs-csi-controller-sa", namespace="default"),
         "no Pod Identity association of kube-system/ebs-csi-controller-sa"),
        (lambda hand: hand.detach("spark-a-aws-ebs-csi-driver", "AmazonEBSCSIDriverEKSClusterScopedPolicy"),
         "The add-on is unhealthy because it doesn't have the desired number of replicas; the EBS"),
        (lambda hand: hand.change("spark-a-autoscaler", "autoscaling:SetDesired", "autoscaling:Execute"),
         "Cluster Autoscaler gets: User: arn:aws:sts::123456789012:assumed-role/"),
        (lambda hand: hand.change("spark-a-autoscaler", f"autoscaler/{CLUSTER}", "autoscaler/x"),
         "no identity-based policy allows the autoscaling:SetDesiredCapacity action (AccessDenied)"),
        (lambda hand: hand.change("spark-a-load-balancing", "aws:RequestTag/elbv2", "aws:RequestTag/elb"),
         "AWS Load Balancer Controller gets:"),
        (lambda hand: hand.change("spark-a-load-balancing", "balancing:us-east-1", "balancing:us-west-1"),
         "no identity-based policy allows the elasticloadbalancing:"),
        (lambda hand: hand.associate("fluent-bit", namespace="default"),
         "no Pod Identity association of logging/fluent-bit"),
        (lambda hand: hand.change("spark-a-fluent-bit", "us-east-1-job-logs/", "us-east-1-jobs-logs/"),
         "no identity-based policy allows the s3:PutObject action"),
        (lambda hand: hand.change("spark-a-history", "s3:GetObject", "s3:GetObjectAcl"),
         "no identity-based policy allows the s3:GetObject action (AccessDenied)"),
        (lambda hand: hand.change("spark-a-history-gate", "event-logs/hot/*", "event-logs/cold/*"),
         "no identity-based policy allows the s3:PutObject action (AccessDenied)"),
        (lambda hand: hand.change("spark-a-history", "kms:Decrypt", "kms:DescribeKey"),
         "no identity-based policy allows the kms:Decrypt action (AccessDeniedException)"),
        (lambda hand: hand.change("spark-a-spark-jobs", "kubernetes-namespace", "kubernetes-namespaces"),
         "pod identity of spark-jobs/spark on moka-local-spark-a: AWS refuses this: User:"),
        (lambda hand: hand.key('"arn:aws:iam::123456789012:root"', '"arn:aws:iam::123456789012:role/nobody"'),
         "no resource-based policy allows the kms:GenerateDataKey action (AccessDeniedException)"),
        (lambda hand: hand.bucket("main-staging", 'Transport": "false"', 'Transport": "true"'),
         "with an explicit deny in a resource-based policy"),
    ],
)  # fmt: skip
def test_one_change_by_hand_is_refused_in_the_words_of_aws(account, hand, sabotage, words):
    sabotage(hand)

    assert words in "\n".join(account.broken_dependents())


def logs_of_another_region(inputs):
    """The key's policy with another service; the component of the key's name has no inputs."""
    policy = inputs.get("policy", "")
    return {**inputs, "policy": policy.replace("logs.us-east-1", "logs.us-west-2")} if policy else inputs


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"RolePolicy::spark-a-node": gone}, JOINED),
        ({"Key::main": logs_of_another_region},
         "The specified KMS key does not exist or is not allowed to be used with Arn "
         f"'arn:aws:logs:us-east-1:123456789012:log-group:/aws/eks/{CLUSTER}/cluster'"),
    ],
)  # fmt: skip
def test_one_change_of_the_program_ends_as_on_aws(up, inputs, words):
    with pytest.raises(Refused) as refusal:
        up("local", layers=("foundation", "cluster"), settings=few_groups, inputs=inputs)

    assert words in str(refusal.value)
