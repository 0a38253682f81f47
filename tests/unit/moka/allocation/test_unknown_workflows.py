from moka.allocation.unknown_workflows import unknown_workflows
from moka.usage.records import HOUR

ORDERS, LAB = "root.retail.orders.tier1", "root.ml.lab.tier3"


def runs(workflow, runs, cluster="batch-a", queue=ORDERS, failed=0, waiting=None, took=None):
    """A row of question `runs`."""
    return {
        "cluster": cluster,
        "queue": queue,
        "workflow": workflow,
        "runs": runs,
        "failed": failed,
        "waiting": waiting,
        "took": took,
    }


def need(workflow, machine_millis, cluster="batch-a", queue=ORDERS):
    """A row of question `needs`."""
    return {"cluster": cluster, "queue": queue, "workflow": workflow, "machine_millis": machine_millis}


def test_it_seems_to_be_of_where_most_of_its_runs_were_with_what_was_measured():
    rows = [
        runs("daily", 12, "batch-b", LAB, took=2 * HOUR),
        runs("daily", 1001, failed=50, waiting=HOUR // 4, took=HOUR),
        runs("known", 5),
        runs("", 7),
    ]

    found = unknown_workflows(rows, [need("daily", 1_234_000 * HOUR // 1000)], {"known"})

    assert found.keys() == {"daily"}
    workflow = found["daily"].workflow
    assert (workflow.tier, workflow.project, workflow.cluster) == (1, "retail.orders", "batch-a")
    assert (workflow.owner, workflow.slo_hours) == ("unknown", None)
    assert found["daily"].measured == {
        "runs": 1000,
        "failed_percent": 5,
        "clusters": ["batch-a", "batch-b"],
        "waited_hours": 0.25,
        "took_hours": 2.0,
        "machine_hours": 1.2,
    }


def test_a_few_more_runs_are_measured_as_the_same():
    [before, after] = [unknown_workflows([runs("daily", count)], [], ()) for count in (300, 302)]

    assert before == after


def test_what_can_be_no_workflow_is_left_out():
    rows = [runs("a b", 3), runs("adhoc", 3, queue="root.default"), runs("_x", 2)]

    assert unknown_workflows(rows, [], ()) == {}
