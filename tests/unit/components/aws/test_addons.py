import json

from components.aws.addons import Addon, Addons, AddonsArgs, configuration_json


def test_each_add_on_is_installed_at_its_version_with_its_configuration(deploy):
    addons = {
        "coredns": Addon(version="v1.12.4-eksbuild.1", configuration={"replicaCount": 3}),
        "eks-pod-identity-agent": Addon(version="v1.3.9-eksbuild.3"),
    }
    made = deploy(lambda: Addons("spark-a", AddonsArgs(cluster_name="spark-a", addons=addons)))

    installed = {each["addonName"]: each for each in made.inputs("aws:eks/addon:Addon")}
    assert {name: each["addonVersion"] for name, each in installed.items()} == {
        "coredns": "v1.12.4-eksbuild.1",
        "eks-pod-identity-agent": "v1.3.9-eksbuild.3",
    }
    assert json.loads(installed["coredns"]["configurationValues"]) == {"replicaCount": 3}
    assert "configurationValues" not in installed["eks-pod-identity-agent"]


def test_the_order_of_keys_is_no_change_of_configuration():
    assert configuration_json({"a": 1, "b": 2}) == configuration_json({"b": 2, "a": 1})
