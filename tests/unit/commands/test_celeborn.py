"""`moka celeborn`, against a stand-in of the API server and of Celeborn behind it."""

import pytest
import yaml

from commands.celeborn_api import CelebornError
from tests.support.celeborn_server import CelebornServer, serve


@pytest.fixture
def run(tmp_path, monkeypatch, moka):
    """Run a subcommand on a cluster with this Celeborn: its status and what it printed."""

    def command(celeborn: CelebornServer, *arguments: str, meanwhile=lambda: None) -> tuple[int, str]:
        with serve(celeborn):
            config = {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "stub",
                "contexts": [{"name": "stub", "context": {"cluster": "stub", "user": "me"}}],
                "clusters": [{"name": "stub", "cluster": {"server": celeborn.url}}],
                "users": [{"name": "me", "user": {"token": "t"}}],
            }
            (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
            monkeypatch.setattr(
                "kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "kubeconfig")
            )
            monkeypatch.setattr("commands.celeborn.sleep", lambda _: meanwhile())
            result = moka("celeborn", *arguments)
        return result.status, result.out + result.err

    return command


def test_a_drained_worker_takes_no_more_data_and_is_waited_for(run):
    celeborn = CelebornServer(applications=["a", "b", "c", "d"])

    status, output = run(celeborn, "drain", "celeborn-worker-3")

    assert status == 0
    assert celeborn.events == [("DECOMMISSIONTHENIDLE", ["celeborn-worker-3"])]
    assert celeborn.state("celeborn-worker-3") == "Idle"
    progress, *_, end = output.splitlines()
    assert progress.startswith("Waiting: celeborn-worker-3 for a, b, c and 1 more. It is safe to stop here")
    assert end.startswith("celeborn-worker-3: empty; its node can be removed.")


def test_a_drain_that_was_stopped_goes_on_where_it_was(run):
    celeborn = CelebornServer(states={"celeborn-worker-3": "InDecommissionThenIdle"})

    status, output = run(celeborn, "drain", "celeborn-worker-3")

    assert (status, celeborn.events) == (0, [])
    assert "celeborn-worker-3: empty" in output


def test_a_worker_that_does_not_list_its_applications_is_drained(run):
    celeborn = CelebornServer(applications=None)

    assert run(celeborn, "drain", "celeborn-worker-0")[0] == 0


def test_a_drained_worker_is_recommissioned(run):
    celeborn = CelebornServer(states={"celeborn-worker-3": "Idle"}, avoided={"celeborn-worker-3"})

    status, output = run(celeborn, "recommission", "celeborn-worker-3", "celeborn-worker-0")

    assert status == 0
    assert celeborn.events == [("RECOMMISSION", ["celeborn-worker-3"])]
    assert output.endswith("kubectl -n celeborn delete pod celeborn-worker-3\n")
    assert (
        "celeborn-worker-3  Normal  -  applications: 1  avoided by running applications"
        in (run(celeborn, "status")[1])
    )


def test_a_worker_that_nobody_avoids_does_not_have_to_be_deleted(run):
    assert run(CelebornServer(), "recommission", "celeborn-worker-3") == (0, "")


@pytest.mark.parametrize(
    ("celeborn", "workers", "output"),
    [
        (
            CelebornServer(),
            ["celeborn-worker-9"],
            "the masters know no celeborn-worker-9; they know celeborn-worker-0,",
        ),
        (
            CelebornServer(states={"celeborn-worker-0": "Idle"}),
            ["celeborn-worker-1", "celeborn-worker-2"],
            "this leaves celeborn-worker-3 to take data, and jobs need 2: drain fewer at a time",
        ),
        (
            CelebornServer(states={"celeborn-worker-1": "InGraceFul"}),
            ["celeborn-worker-1"],
            "celeborn-worker-1 is stopping already; wait until it is back",
        ),
        (
            CelebornServer(leader=None),
            ["celeborn-worker-1"],
            "Celeborn has no leader: celeborn-master-0 knows no leader",
        ),
        (
            CelebornServer(leader="celeborn-master-7"),
            ["celeborn-worker-1"],
            "celeborn-master-1 answers 400 to /api/v1/workers/events: This operation can only be done from",
        ),
    ],
    ids=["unknown", "too many", "stopping", "no leader", "not the leader"],
)
def test_a_drain_that_is_impossible_is_refused_and_no_worker_gets_an_event(
    run, celeborn, workers, output, monkeypatch
):
    if celeborn.leader == "celeborn-master-7":
        # It led when it was asked for its name, and no longer.
        monkeypatch.setattr("commands.celeborn_api.leader_of", lambda _: "celeborn-master-1")

    status, out = run(celeborn, "drain", *workers)

    assert (status, celeborn.events) == (1, [])
    assert out.startswith(output)


@pytest.mark.parametrize(
    ("becomes", "output"),
    [
        ("Normal", "celeborn-worker-3 was restarted, and takes data again; drain it again"),
        (None, "celeborn-worker-3 was stopped or lost before it was empty"),
    ],
)
def test_a_worker_that_is_no_longer_on_its_way_is_not_waited_for(run, becomes, output):
    celeborn = CelebornServer(polls=99, states={"celeborn-worker-3": "InDecommissionThenIdle"})

    def meanwhile():
        if becomes:
            celeborn.states["celeborn-worker-3"] = becomes
        else:
            celeborn.workers = celeborn.workers[:3]

    status, out = run(celeborn, "drain", "celeborn-worker-3", meanwhile=meanwhile)

    assert status == 1
    assert out.splitlines()[-1].startswith(output)


def test_a_worker_that_does_not_start_to_drain_is_named(run):
    status, out = run(CelebornServer(ignores_events=True), "drain", "celeborn-worker-3")

    assert (status, out) == (1, "celeborn-worker-3 did not start to drain; see its log, then try again\n")


def test_status_shows_the_leader_and_the_state_of_each_worker(run):
    celeborn = CelebornServer(
        workers=["celeborn-worker-b-0", "celeborn-worker-a-0"],
        states={"celeborn-worker-b-0": "Idle"},
        racks={"celeborn-worker-a-0": "/us-east-1a"},
    )

    status, output = run(celeborn, "status")

    assert (status, output.splitlines()) == (
        0,
        [
            "leader: celeborn-master-1",
            "celeborn-worker-a-0  Normal  us-east-1a  applications: 1",
            "celeborn-worker-b-0  Idle  -  applications: 0",
        ],
    )


def test_a_cluster_that_cannot_be_reached_is_one_sentence(run, monkeypatch):
    monkeypatch.setattr("commands.celeborn_api.Pods.masters", lambda _: ["celeborn-master-0"])
    monkeypatch.setattr("commands.celeborn_api.Pods.request", _refused)

    status, output = run(CelebornServer(), "status")

    assert (status, output) == (1, "Celeborn has no leader: celeborn-master-0 cannot be reached\n")


def _refused(*_):
    raise CelebornError("celeborn-master-0 cannot be reached")
