"""Network policies, read as Kubernetes reads them: who may talk to whom."""

from ipaddress import ip_address, ip_network

import pytest

from moka.components.kubernetes.job_network import Egress, JobNetwork, JobNetworkArgs

DRIVER = {"namespace": "spark-jobs", "labels": {"spark-role": "driver"}}
EXECUTOR = {"namespace": "spark-jobs", "labels": {"spark-role": "executor"}}
OTHER = {"namespace": "spark-jobs", "labels": {"app": "by-hand"}}
NEIGHBOUR = {"namespace": "spark-others", "labels": {"spark-role": "driver"}}
DNS = {"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}
SYSTEM = {"namespace": "kube-system", "labels": {"app": "anything"}}
CELEBORN = {"namespace": "celeborn", "labels": {}}
INGRESS = {"namespace": "ingress-nginx", "labels": {}}
GATEWAY = {"namespace": "ingress", "labels": {"app.kubernetes.io/name": "ui-gateway"}}
BESIDE_GATEWAY = {"namespace": "ingress", "labels": {"app.kubernetes.io/name": "traefik"}}
MONITORING = {"namespace": "monitoring", "labels": {}}
HIVE = {"namespace": "hive", "labels": {}}


@pytest.fixture
def policies(deploy):
    def deploy_network(pod_networks=(), **egress):
        args = JobNetworkArgs(namespace="spark-jobs", pod_networks=pod_networks, egress=egress)
        program = deploy(lambda: JobNetwork("spark-a-jobs", args))
        policies = program.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
        assert {policy["metadata"]["namespace"] for policy in policies} == {"spark-jobs"}
        return [policy["spec"] for policy in policies]

    return deploy_network


def selects(selector, labels):
    if selector is None:
        return True
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()) and all(
        (labels.get(expression["key"]) in expression["values"]) == (expression["operator"] == "In")
        for expression in selector.get("matchExpressions", [])
    )


def is_peer(peer, pod):
    """pod: one of the cluster, or an address."""
    if isinstance(pod, str):
        block = peer.get("ipBlock")
        return (
            bool(block)
            and _within(pod, block["cidr"])
            and not any(_within(pod, left_out) for left_out in block.get("except", []))
        )
    if "ipBlock" in peer:
        return False
    where = peer.get("namespaceSelector")
    namespace = {"kubernetes.io/metadata.name": pod["namespace"]}
    here = selects(where, namespace) if where else pod["namespace"] == "spark-jobs"
    return here and selects(peer.get("podSelector"), pod["labels"])


def _within(address, cidr):
    return ip_address(address) in ip_network(cidr)


def allowed(policies, direction, pod, peer, port, protocol="TCP"):
    """Whether a pod of the namespace may talk to a peer (Egress), or a peer to it (Ingress)."""
    selecting = [
        policy
        for policy in policies
        if direction in policy["policyTypes"] and selects(policy["podSelector"], pod["labels"])
    ]
    assert selecting, "no policy selects the pod, so everything is allowed"
    key, side = ("egress", "to") if direction == "Egress" else ("ingress", "from")
    return any(
        any(is_peer(entry, peer) for entry in rule[side])
        and ("ports" not in rule or {"port": port, "protocol": protocol} in rule["ports"])
        for policy in selecting
        for rule in policy.get(key, [])
    )


@pytest.mark.parametrize(
    ("pod", "peer", "port", "protocol"),
    [
        pytest.param(EXECUTOR, DRIVER, 7078, "TCP", id="an executor to its driver"),
        pytest.param(DRIVER, EXECUTOR, 41234, "TCP", id="a driver to its executor"),
        pytest.param(EXECUTOR, EXECUTOR, 41234, "TCP", id="executors among each other"),
        pytest.param(DRIVER, DNS, 53, "UDP", id="names"),
        pytest.param(DRIVER, DNS, 53, "TCP", id="long answers"),
        pytest.param(DRIVER, "172.20.0.1", 443, "TCP", id="the API server"),
        pytest.param(EXECUTOR, "52.216.1.1", 443, "TCP", id="S3"),
        pytest.param(EXECUTOR, "2600:1f28::1", 443, "TCP", id="S3 over IPv6"),
        pytest.param(EXECUTOR, "169.254.170.23", 80, "TCP", id="Pod Identity"),
        pytest.param(EXECUTOR, "fd00:ec2::23", 80, "TCP", id="Pod Identity over IPv6"),
        pytest.param(DRIVER, CELEBORN, 9097, "TCP", id="Celeborn's masters"),
        pytest.param(EXECUTOR, CELEBORN, 9092, "TCP", id="Celeborn's workers"),
    ],
)
def test_spark_may_talk_to(policies, pod, peer, port, protocol):
    assert allowed(policies(), "Egress", pod, peer, port, protocol)


@pytest.mark.parametrize(
    ("pod", "peer", "port"),
    [
        pytest.param(DRIVER, "169.254.169.254", 80, id="the machine's metadata"),
        pytest.param(DRIVER, NEIGHBOUR, 7078, id="jobs of another namespace"),
        pytest.param(DRIVER, SYSTEM, 53, id="other pods of the system"),
        pytest.param(DRIVER, CELEBORN, 9094, id="replication between workers"),
        pytest.param(DRIVER, HIVE, 9083, id="a namespace that nobody named"),
        pytest.param(DRIVER, "10.0.0.9", 5432, id="a database that nobody named"),
        pytest.param(OTHER, DNS, 53, id="anybody, from a pod that is not Spark's"),
    ],
)
def test_spark_may_not_talk_to(policies, pod, peer, port):
    assert not allowed(policies(), "Egress", pod, peer, port)


@pytest.mark.parametrize(
    ("pod", "peer", "port", "expected"),
    [
        pytest.param(DRIVER, EXECUTOR, 7078, True, id="its executors"),
        pytest.param(DRIVER, GATEWAY, 4040, True, id="the gateway, for the UI"),
        pytest.param(DRIVER, BESIDE_GATEWAY, 4040, False, id="other pods of the gateway's namespace"),
        pytest.param(DRIVER, INGRESS, 4040, False, id="the ingress controller past the gateway"),
        pytest.param(DRIVER, MONITORING, 4040, True, id="collectors of metrics"),
        pytest.param(DRIVER, MONITORING, 8090, True, id="collectors, for an exporter"),
        pytest.param(DRIVER, MONITORING, 7090, True, id="collectors, for the upload of event logs"),
        pytest.param(DRIVER, INGRESS, 7090, False, id="nobody else, for the upload of event logs"),
        pytest.param(DRIVER, INGRESS, 7078, False, id="the ingress controller elsewhere"),
        pytest.param(DRIVER, GATEWAY, 7078, False, id="the gateway elsewhere"),
        pytest.param(DRIVER, NEIGHBOUR, 7078, False, id="jobs of another namespace"),
        pytest.param(DRIVER, "10.0.0.9", 4040, False, id="anybody in the network"),
        pytest.param(OTHER, EXECUTOR, 80, False, id="Spark, to a pod that is not Spark's"),
    ],
)
def test_who_may_talk_to_spark(policies, pod, peer, port, expected):
    assert allowed(policies(), "Ingress", pod, peer, port) == expected


def test_what_is_named_is_open_on_its_ports_alone(policies):
    network = policies(
        hive=Egress(namespace="hive", ports=[9083]),
        databases=Egress(cidrs=["10.0.0.0/24", "10.1.0.0/24"], ports=[5432]),
    )

    assert allowed(network, "Egress", DRIVER, HIVE, 9083)
    assert not allowed(network, "Egress", DRIVER, HIVE, 22)
    assert allowed(network, "Egress", EXECUTOR, "10.1.0.7", 5432)
    assert not allowed(network, "Egress", EXECUTOR, "10.2.0.7", 5432)


def test_not_even_a_way_to_everywhere_leads_to_the_machine_s_metadata(policies):
    network = policies(web=Egress(cidrs=["0.0.0.0/0"], ports=[80]))

    assert allowed(network, "Egress", DRIVER, "93.184.215.14", 80)
    assert not allowed(network, "Egress", DRIVER, "169.254.169.254", 80)


PODS = ["100.64.0.0/16"]


@pytest.mark.parametrize(
    ("pod", "peer", "port", "expected"),
    [
        pytest.param(EXECUTOR, "100.64.3.4", 7078, True, id="an executor to its driver"),
        pytest.param(
            EXECUTOR, "100.64.3.4", 7080, True, id="an executor to Celeborn's manager in its driver"
        ),
        pytest.param(DRIVER, "100.64.3.4", 7079, True, id="a driver to blocks of its executors"),
        pytest.param(EXECUTOR, "100.64.3.4", 29500, False, id="no port that Spark does not have"),
        pytest.param(EXECUTOR, "100.64.3.4", 18080, False, id="no other service's port"),
        pytest.param(EXECUTOR, "10.0.0.9", 7079, False, id="no machine that is not a pod"),
    ],
)
def test_where_networks_of_pods_are_known_spark_connects_to_its_own_ports_there(
    policies, pod, peer, port, expected
):
    assert allowed(policies(PODS), "Egress", pod, peer, port) == expected


def test_who_may_connect_is_by_label_wherever_pods_are(policies):
    assert allowed(policies(PODS), "Ingress", EXECUTOR, DRIVER, 7079)
    assert not allowed(policies(PODS), "Ingress", EXECUTOR, NEIGHBOUR, 7079)
    assert not allowed(policies(PODS), "Ingress", EXECUTOR, "100.64.3.4", 7079)


def lists_with(policies, pod):
    """How many lists of the VPC CNI a pod is in: pods that a policy selects, and peers of its rules."""
    return sum(
        selects(policy["podSelector"], pod["labels"])
        + sum(
            is_peer(peer, pod)
            for key, side in (("ingress", "from"), ("egress", "to"))
            for rule in policy.get(key, [])
            for peer in rule[side]
        )
        for policy in policies
    )


def test_an_executor_is_in_two_lists_of_addresses(policies):
    assert lists_with(policies(PODS), EXECUTOR) == 2
    # Where nobody says in which networks pods are, or jobs need any port.
    assert lists_with(policies(), EXECUTOR) == 3


def test_a_namespace_has_two_policies_however_many_ways_out(policies):
    # Each one makes the VPC CNI follow every pod that it selects.
    ways = {f"way-{n}": Egress(namespace=f"other-{n}", ports=[80]) for n in range(10)}

    assert len(policies(**ways)) == len(policies()) == 2
