"""What an environment's traffic and logs cost, by calculation: AWS is asked nothing."""

import pytest

from doctor.cost import InvalidAssumption, assumptions, estimate
from moka.prices import prices

HOURS = 730
MONTH = 365 / 12


@pytest.fixture
def costs(settings):
    """(kind, beginning of what) -> USD a month, of this environment after some changes."""

    def make(*changes, **assumed):
        lines = estimate(settings(*changes), prices(), assumptions(assumed))

        def cost(kind, what=""):
            found = [line.cost for line in lines if line.kind == kind and line.what.startswith(what)]
            assert found, (kind, what)
            return sum(found)

        return cost

    return make


def network(**change):
    return lambda written: written["foundations"]["main"]["network"].update(change)


def cluster(**change):
    return lambda written: written["clusters"]["spark-a"].update(change)


def group(name, **change):
    return lambda written: written["clusters"]["spark-a"]["node_groups"][name].update(change)


def test_a_control_plane_costs_by_the_hour_and_its_tier_besides(costs):
    assert costs()("control planes") == pytest.approx(HOURS * 0.1)
    assert costs(cluster(control_plane_tier="tier-2xl"))("control planes") == pytest.approx(HOURS * 3.5)


def test_nat_and_endpoints_cost_by_their_number(costs):
    zonal, single = costs(), costs(network(nat="single"))

    assert zonal("NAT", "zonal: 3") == pytest.approx(3 * HOURS * 0.045)
    assert single("NAT", "single: 1") == pytest.approx(HOURS * 0.045)
    assert zonal("endpoints", "11 in 3 zones") == pytest.approx(3 * 11 * HOURS * 0.01)


def test_metrics_in_a_workspace_of_the_region_have_an_endpoint_of_their_own(costs):
    def with_workspace(region):
        workspace = f"arn:aws:aps:{region}:123456789012:workspace/ws-0123abcd-01ab-23cd-45ef-0123456789ab"
        return lambda written: written.update(
            metrics={"destination": {"remote_write": {"workspace": workspace}}, "workspace_rules": False}
        )

    assert costs(with_workspace("us-east-1"))("endpoints", "12 in 3 zones") == pytest.approx(
        3 * 12 * HOURS * 0.01
    )
    assert costs(with_workspace("eu-west-1"))("endpoints", "11 in 3 zones")


def test_bytes_to_the_one_nat_gateway_cross_zones_from_nodes_in_others(costs):
    assumed = {"node_share": 1, "nat_gb_a_node_day": 3, "image_gb_a_node_day": 0}
    everywhere = costs(network(nat="single"), **assumed)
    nearby = costs(network(nat="single"), group("executor", zones=["us-east-1a"]), **assumed)
    zonal = costs(**assumed)

    # Of 40 nodes two in three are in another zone, and both sides pay; of 10, where executors are beside it.
    assert everywhere("NAT", "to its zone") == pytest.approx(40 * 2 / 3 * 3 * MONTH * 0.02)
    assert nearby("NAT", "to its zone") == pytest.approx(10 * 2 / 3 * 3 * MONTH * 0.02)
    with pytest.raises(AssertionError):
        zonal("NAT", "to its zone")


def test_without_endpoints_their_traffic_leaves_by_nat(costs):
    assumed = {"endpoint_gb_a_node_day": 10, "nat_gb_a_node_day": 0, "image_gb_a_node_day": 0}
    with_them = costs(**assumed)
    without = costs(network(interface_endpoints=False), **assumed)

    assert with_them("NAT", "what") == 0
    assert without("NAT", "what") == pytest.approx(with_them("endpoints", "what") / 0.01 * 0.045)


def test_an_existing_network_is_not_charged_to_the_environment(costs):
    def existing(written):
        subnets = {"us-east-1a": "subnet-0123456789abcdef0", "us-east-1b": "subnet-0123456789abcdef1"}
        foundation = written["foundations"]["main"]
        del foundation["network"]
        foundation["existing_network"] = {"vpc": "vpc-0123456789abcdef0", "private_subnets": subnets}

    lines = costs(existing)

    with pytest.raises(AssertionError):
        lines("NAT")


def test_logs_cost_by_their_types_and_class_and_by_the_days_that_they_are_kept(costs):
    # 100 requests a second of 2,000 bytes: 17.28 GB a day.
    assumed = {"audit_requests_a_second": 100, "audit_requests_a_node_second": 0, "stored_share": 0.15}
    audit = {"types": ["audit"], "days": 30}

    lines = costs(cluster(control_plane_logs=audit), **assumed)
    cheaper = costs(cluster(control_plane_logs={**audit, "log_class": "infrequent-access"}), **assumed)
    none = costs(cluster(control_plane_logs={"types": ["api"]}), **assumed, other_logs_share=0.1)

    assert lines("control-plane logs", "audit") == pytest.approx(17.28 * MONTH * 0.5)
    assert lines("control-plane logs", "kept 30 days") == pytest.approx(17.28 * 30 * 0.15 * 0.03)
    assert cheaper("control-plane logs", "audit") == pytest.approx(17.28 * MONTH * 0.25)
    assert none("control-plane logs", "api") == pytest.approx(1.728 * MONTH * 0.5)


def test_flow_logs_cost_by_records_delivered_and_made_parquet(costs):
    lines = costs(node_share=1, pods_a_node=10, flows_a_pod=100, flow_record_bytes=100)

    # 40 nodes at the most: 40 x 10 x 100 records, 144 times a day.
    gb = 40 * 10 * 100 * 144 * 100 / 1e9 * MONTH
    assert lines("flow logs", "delivered") == pytest.approx(gb * 0.25)
    assert lines("flow logs", "made Parquet") == pytest.approx(gb * 0.035)


def test_shuffle_in_one_zone_costs_nothing_and_in_three_by_how_often_it_crosses(costs):
    assumed = {"node_share": 1, "shuffle_gb_a_node_day": 100, "celeborn_share": 0.25}
    one = {"zones": ["us-east-1a"]}
    shuffled = 30 * 100 * MONTH

    together = costs(group("executor", **one), group("shuffle", **one), **assumed)
    spread = costs(**assumed)

    assert together("between zones") == 0
    assert spread("between zones", "shuffle of executors") == pytest.approx(
        shuffled * 0.75 * 2 / 3 * 2 * 0.01
    )
    assert spread("between zones", "shuffle with Celeborn") == pytest.approx(
        shuffled * 0.25 * 7 / 3 * 2 * 0.01
    )


def test_jobs_whose_executors_are_in_one_zone_cross_none_but_to_workers_elsewhere(costs):
    assumed = {"node_share": 1, "shuffle_gb_a_node_day": 100, "celeborn_share": 0.5, "one_zone_share": 0.75}
    zonal, one = group("executor", per_zone=True), group("shuffle", zones=["us-east-1a"])
    paid = 30 * 100 * MONTH * 0.5 * 2 * 0.01

    chosen = costs(zonal, one, **assumed)
    spread = costs(zonal, **assumed)
    any_zone = costs(zonal, cluster(executor_zone="any"), **assumed)

    assert chosen("between zones", "shuffle of") == pytest.approx(paid * 0.25 * 2 / 3)
    assert chosen("between zones", "shuffle with") == pytest.approx(paid * 0.25 * 4 / 3)
    assert spread("between zones", "shuffle with") == pytest.approx(paid * 7 / 3)
    assert any_zone("between zones", "shuffle of") == pytest.approx(paid * 2 / 3)


def test_a_region_that_the_table_lacks_is_priced_elsewhere_and_that_is_said(settings):
    def elsewhere(written):
        written["foundations"]["main"]["region"] = "eu-west-1"
        written["foundations"]["main"]["network"]["zones"] = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]

    lines = estimate(settings(elsewhere), prices(), assumptions({}))

    assert {line.elsewhere for line in lines if line.kind == "between zones"} == {True}
    assert {line.elsewhere for line in lines if line.kind == "control planes"} == {False}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"shuffle": 1.0}, "There is no assumption shuffle: write one of node_share, "),
        ({"node_share": -1.0}, "node_share is -1: write 0 or more."),
        ({"node_share": float("nan")}, "node_share is nan: write 0 or more."),
    ],
)
def test_an_assumption_that_cannot_be_is_refused(given, says):
    with pytest.raises(InvalidAssumption, match=says):
        assumptions(given)
