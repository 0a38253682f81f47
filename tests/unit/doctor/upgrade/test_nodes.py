from doctor.upgrade import nodes
from tests.support.aws_stubs import lines

NAME = "acme-trial-spark-a"


def parameter(architecture, answer):
    name = (
        f"/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/{architecture}/standard/recommended/"
        "release_version"
    )
    return ("get_parameter", {"Name": name}, answer)


def test_machine_images_are_looked_for_in_every_architecture(place):
    stubbed = {
        "ssm": [
            parameter("x86_64", {"Parameter": {"Value": "1.35.8-20261105"}}),
            parameter("arm64", "ParameterNotFound"),
        ]
    }

    assert lines(lambda place: nodes.images(place, "1.35"), place(stubbed=stubbed)) == [
        "ok main EKS recommends amd64 machine image 1.35.8-20261105.",
        "problem main EKS has no arm64 machine image for Kubernetes 1.35 here. Wait until it has reached the "
        "region.",
    ]


def running(**groups):
    cluster = ("describe_cluster", {"name": NAME}, {"cluster": {"name": NAME, "version": "1.34"}})
    listing = ("list_nodegroups", {"clusterName": NAME}, {"nodegroups": list(groups)})
    described = [
        (
            "describe_nodegroup",
            {"clusterName": NAME, "nodegroupName": name},
            {"nodegroup": {"nodegroupName": name, "version": version}},
        )
        for name, version in groups.items()
    ]
    return {"eks": [cluster, listing, *described]}


def test_node_groups_within_the_skew_that_kubernetes_allows_are_fine(place):
    stubbed = running(system="1.34", driver="1.34")

    assert lines(lambda place: nodes.behind(place, "1.35"), place(stubbed=stubbed)) == [
        "ok main/spark-a No node group would be more than 3 minor versions behind."
    ]


def test_a_node_group_that_the_last_upgrade_left_behind_is_a_warning(place):
    stubbed = running(system="1.34", driver="1.32")

    assert lines(lambda place: nodes.behind(place, "1.35"), place(stubbed=stubbed)) == [
        "warning main/spark-a EKS may refuse this as long as driver is not at 1.34, the cluster's version. "
        "Finish the last upgrade first: remove the generations once their drivers have ended."
    ]


def test_a_node_group_that_would_be_too_far_behind_is_a_problem(place):
    stubbed = running(system="1.34", driver="1.31")

    assert lines(lambda place: nodes.behind(place, "1.35"), place(stubbed=stubbed)) == [
        "problem main/spark-a A kubelet may be 3 minor versions behind its control plane, and driver would "
        "be more. Update these node groups first, or remove the generations."
    ]


def test_machine_images_that_the_settings_hold_back_are_told(place):
    def held_back(written):
        groups = written["clusters"]["spark-a"]["node_groups"]
        groups["driver"] |= {
            "ami_release": "1.34.2-20261005",
            "generation": 2,
            "retiring": {1: {"instance_types": ["r6i.2xlarge"], "ami_release": "1.33.2-20260905"}},
        }

    [held, _] = lines(lambda place: nodes.behind(place, "1.35"), place(held_back, stubbed=running(a="1.34")))

    assert held == (
        "warning main/spark-a The settings name machine images of other versions for driver and driver "
        "(generation 1), which stay there. To take them along, name a release of the new version and raise "
        "`generation`."
    )


def test_images_of_ones_own_are_told_as_eks_does_not_change_them(place):
    def own(written):
        written["clusters"]["spark-a"]["node_groups"]["driver"]["ami"] = "ami-0123456789abcdef0"

    [told, _] = lines(lambda place: nodes.behind(place, "1.35"), place(own, stubbed=running(a="1.34")))

    assert told == (
        "warning main/spark-a driver has an image of your own, and the kubelet in it stays as it is. Once "
        "the cluster is at 1.35, build one for it, and set it as `ami`."
    )
