import json

from moka.components.aws.addons import Addon, AddonIdentity, Addons, AddonsArgs, configuration_json

CNI = Addon(
    version="v1.22.4-eksbuild.3",
    identity=AddonIdentity(service_account="aws-node", policies=("AmazonEKS_CNI_Policy",)),
)


def deploy_addons(deploy, addons, **changes):
    args = AddonsArgs(cluster_name="spark-a", region="us-east-1", addons=addons, **changes)
    return deploy(lambda: Addons("spark-a", args))


def test_each_add_on_is_installed_at_its_version_with_its_configuration(deploy):
    stack = deploy_addons(
        deploy,
        {
            "coredns": Addon(version="v1.12.4-eksbuild.1", configuration={"replicaCount": 3}),
            "eks-pod-identity-agent": Addon(version="v1.3.9-eksbuild.3"),
        },
    )

    installed = {addon["addonName"]: addon for addon in stack.inputs("aws:eks/addon:Addon")}
    assert {name: addon["addonVersion"] for name, addon in installed.items()} == {
        "coredns": "v1.12.4-eksbuild.1",
        "eks-pod-identity-agent": "v1.3.9-eksbuild.3",
    }
    assert json.loads(installed["coredns"]["configurationValues"]) == {"replicaCount": 3}
    assert "configurationValues" not in installed["eks-pod-identity-agent"]


def test_an_add_on_gets_its_permissions_by_its_own_service_account(deploy):
    stack = deploy_addons(deploy, {"vpc-cni": CNI})

    [association] = stack.inputs("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    assert (association["namespace"], association["serviceAccount"]) == ("kube-system", "aws-node")
    [attached] = stack.inputs("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert attached["policyArn"] == "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"


def test_no_pod_of_an_add_on_starts_before_its_permissions_are_there(deploy):
    stack = deploy_addons(deploy, {"vpc-cni": CNI})

    needed = stack.tree()["moka:aws:Addons$aws:eks/addon:Addon::spark-a-vpc-cni"].dependencies
    assert any("podIdentityAssociation" in urn for urn in needed)


def test_an_add_on_without_identity_may_do_nothing_in_aws(deploy):
    stack = deploy_addons(deploy, {"kube-proxy": Addon(version="v1.34.6-eksbuild.2")})

    assert stack.inputs("aws:iam/role:Role") == []


def test_roles_of_add_ons_are_under_their_path_and_bounded(deploy):
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    stack = deploy_addons(deploy, {"vpc-cni": CNI}, path="/moka-prod/", permissions_boundary_arn=boundary)

    [role] = stack.inputs("aws:iam/role:Role")
    assert (role["path"], role["permissionsBoundary"]) == ("/moka-prod/", boundary)


def test_the_order_of_keys_is_no_change_of_configuration():
    assert configuration_json({"a": 1, "b": 2}) == configuration_json({"b": 2, "a": 1})


def test_an_add_on_has_time_to_come_to_a_thousand_nodes(deploy):
    tree = deploy_addons(deploy, {"vpc-cni": CNI}).tree()

    [request] = [request for path, request in tree.items() if "aws:eks/addon:Addon" in path]
    assert (request.customTimeouts.create, request.customTimeouts.update) == ("60m", "60m")
