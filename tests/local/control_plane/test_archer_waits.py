"""Why a job waits, from the real scheduler to the answer of the service; the pods are made as drivers are."""

import asyncio
import json
import urllib.request
from datetime import UTC, datetime
from urllib.error import HTTPError

import pytest

from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.components.kubernetes.archer_rights import NAMESPACE_RIGHTS, SCHEDULER_RIGHTS
from moka.names import USER_INFO, YUNIKORN_NAMESPACE, queue_path
from moka.queues import Leaf, Resources, grow, queues_yaml
from moka.submission.job_id import application_name, id_text, new_id
from moka.submission.observation import observe
from moka.submission.reasons import Reason
from services.archer.database import claims, leases, transitions
from services.archer.database.acceptance import Submission, accept
from services.archer.database.migrate import migrate
from services.archer.worker.cluster import Cluster
from services.archer.worker.lookout import Lookout
from services.common.kubernetes import Api, ServiceAccount
from tests.support.archer import archer
from tests.support.jobs import make_job_target
from tests.support.loops import run_apart
from tests.support.postgresql import PostgreSQL
from tests.support.roles import bound_role

NAME, CLUSTER = "archer-lookout", "spark-a"
FULL, FEW, FREE = "acme.full", "acme.few", "acme.free"
QUEUES = queues_yaml(
    grow(
        [
            Leaf(
                organization="acme",
                project=queue.partition(".")[2],
                tier=3,
                maximum=Resources.of(cpu=cores),
                max_applications=most,
            )
            for queue, cores, most in ((FULL, "2", None), (FEW, "90", 1), (FREE, "90", None))
        ]
    )
)
NOWHERE = {"kubernetes.io/arch": "s390x"}


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


def driver(application, queue, selector=None, executors=0):
    """A driver's pod, as the operator has it made, with placeholders for executors that go elsewhere."""
    metadata = {
        "name": f"{application}-driver",
        "labels": {
            "yunikorn.apache.org/app-id": application,
            "yunikorn.apache.org/queue": queue_path(queue, 3),
        },
        "annotations": {USER_INFO: json.dumps({"user": "ann", "groups": ["data"]})},
    }
    size = {"cpu": "2", "memory": "100Mi"}
    if executors:
        groups = [
            {"name": "spark-driver", "minMember": 1, "minResource": size},
            {
                "name": "spark-executor",
                "minMember": executors,
                "minResource": size,
                "nodeSelector": NOWHERE,
            },
        ]
        metadata["annotations"] |= {
            "yunikorn.apache.org/task-groups": json.dumps(groups),
            "yunikorn.apache.org/task-group-name": "spark-driver",
        }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "schedulerName": "yunikorn",
            "nodeSelector": selector or {},
            "containers": [
                {"name": "spark-kubernetes-driver", "image": "any", "resources": {"requests": size}}
            ],
        },
    }


def known_queues(url):
    """What the scheduler says of its queues; nothing until it has any."""
    try:
        with urllib.request.urlopen(f"{url}/ws/v1/partition/default/queues", timeout=10) as answer:
            return answer.read().decode()
    except HTTPError:
        return ""


async def submitted(pool, namespace, queues):
    """Jobs of these queues, whose applications the operator has looked at."""
    rows = [
        Submission(
            id=new_id(datetime.now(UTC)),
            principal="ann",
            groups=["data"],
            key=None,
            hash=b"",
            name="pi",
            queue=queue,
            tier=3,
            workflow=None,
            architecture="arm64",
            document={"name": "pi"},
            namespace=namespace,
            cluster=CLUSTER,
        )
        for queue in queues
    ]
    await accept(pool, rows)
    pace = claims.Pace(operator="spark-operator", namespaces=(namespace,), rate=100, burst=100)
    await pool.run(lambda c: claims.register(c, CLUSTER, [pace]))
    await pool.run(lambda c: leases.register(c, [(CLUSTER, namespace)]))
    claimed = await pool.run(lambda c: claims.claim(c, CLUSTER, pace, {}, "worker"))
    done = [
        transitions.NewApplication(
            job=one.job, claim=one.number, application=application_name("pi", one.job, one.attempt)
        )
        for one in claimed
    ]
    await pool.run(lambda c: transitions.record_applications(c, done))
    await pool.fetch("UPDATE active SET acknowledged = true")
    return [row.id for row in rows]


def test_what_the_scheduler_holds_against_a_job_is_what_its_owner_is_told(
    plane, api, yunikorn, namespace, other_queues, eventually, postgresql
):
    other_queues(QUEUES)
    # It refuses, and forgets, what names a queue that it does not know yet.
    eventually(lambda: queue_path(FREE, 3) in known_queues(yunikorn_url(plane)))
    api.apply_all(
        [
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": NAME, "namespace": namespace},
            },
            *bound_role(NAME, namespace, NAMESPACE_RIGHTS, namespace),
            *bound_role(NAME, YUNIKORN_NAMESPACE, SCHEDULER_RIGHTS, namespace),
        ]
    )
    pods = f"/api/v1/namespaces/{namespace}/pods"
    folder = account(plane, NAME, namespace, NAME)
    # Of two in a queue, the second has to wait.
    cases = {
        "queue full": (
            FULL,
            {},
            "queue root.acme.full.tier3 is full: it has 0 cores left, and a pod takes 2",
        ),
        "max applications": (FEW, {}, "max_applications is 1 in root.acme.few.tier3"),
        "no machine": (
            FREE,
            {"executors": 3},
            "of its pods: failed plugin: 'NodeAffinity'",
        ),
    }

    def place(queue, name):
        api.create(pods, driver(name, queue))
        eventually(lambda: api.get(f"{pods}/{name}-driver")["spec"].get("nodeName"))

    async def told(client, job):
        answer = await client.get(f"/v1/jobs/{id_text(job)}/why")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def work():
        async with Api(ServiceAccount(folder, plane.endpoint)) as worker, archer(address) as client:
            cluster = Cluster(CLUSTER, worker, [], make_job_target())
            lookout = Lookout(client.pool, cluster, namespace)
            jobs = await submitted(client.pool, namespace, [queue for queue, *_ in cases.values()])
            before = await told(client, jobs[0])
            assert before["word"] == "scheduler"
            for job, (queue, more, _) in zip(jobs, cases.values(), strict=True):
                api.create(pods, driver(application_name("pi", job, 1), queue, **more))
            found = {}
            for _ in range(100):
                await lookout.look()
                found = {name: await told(client, job) for name, job in zip(cases, jobs, strict=True)}
                if {name: one["word"] for name, one in found.items()} == {name: name for name in cases}:
                    break
                await asyncio.sleep(0.2)
            # Nothing has changed, so nothing is written.
            assert await lookout.look() == 0
            return before, found

    place(FULL, "first")
    place(FEW, "second")
    with postgresql.database() as address:
        run_apart(migrate(address))
        before, found = run_apart(work())

    for name, (_, _, words) in cases.items():
        assert (found[name]["word"], found[name]["state"]) == (name, "submitted")
        assert words in found[name]["message"]
        assert found[name]["since"] <= found[name]["as_of"]
        assert before["as_of"] < found[name]["as_of"]


@pytest.mark.parametrize(
    ("queue", "executors", "words"),
    [(FULL, 3, "cannot fit application"), ("acme.nowhere", 0, "failed to place application")],
)
def test_a_job_that_its_queue_does_not_take_is_tried_again_later(
    plane, api, yunikorn, namespace, other_queues, eventually, queue, executors, words
):
    other_queues(QUEUES)
    eventually(lambda: queue_path(FREE, 3) in known_queues(yunikorn_url(plane)))
    path = f"/api/v1/namespaces/{namespace}/pods"
    # Until YuniKorn forgets an application that it refused, it leaves other pods of that id where they are.
    application = f"refused-{namespace}"
    api.create(path, driver(application, queue, executors=executors))

    pod = eventually(
        lambda: (
            (pod := api.get(f"{path}/{application}-driver")).get("status", {}).get("phase") == "Failed"
            and pod
        )
    )

    seen = observe({"metadata": {"name": application}}, pod)
    assert seen.reason is Reason.QUEUE_REFUSED
    assert words in seen.message
