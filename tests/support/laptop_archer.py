"""Archer's programs on the laptop whose metrics are collected: real, on a PostgreSQL, with jobs.

The issuer of its users' tokens is two fixed pages.
"""

import json

from archer import Archer as Client
from archer import TokenCredentials

from localcloud.control_plane.stand_ins.accounts import account
from moka.names import ARCHER_NAMESPACE, INGRESS_NAMESPACE
from services.archer.database.migrate import migrate
from tests.support.application_load import TARGET, until
from tests.support.archer_processes import Archer, token
from tests.support.archer_stage import ARCHER, CLUSTER, document_of, let_in, open_namespace
from tests.support.http_server import fixed_answers
from tests.support.jobs import make_job
from tests.support.laptop_services import NOWHERE, Programs
from tests.support.loops import run_apart
from tests.support.oidc_issuer import KEYS
from tests.support.postgresql import PostgreSQL
from tests.support.program_pods import PATIENCE

AWS = {"AWS_ENDPOINT_URL": NOWHERE, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}

PODS = {
    "service": ("archer", INGRESS_NAMESPACE),
    "worker": (ARCHER, ARCHER_NAMESPACE),
    "keeper": ("archer-keeper", ARCHER_NAMESPACE),
}
"""Program -> name and namespace of its pod."""

ENDED_JOBS = ("first", "second")


def run_archer(programs: Programs, namespace: str) -> None:
    """Run them for one cluster; two jobs of `namespace` have ended then, and one waits, as it is cordoned."""
    plane, stack = programs.cluster.plane, programs.stack
    server = PostgreSQL()
    stack.callback(server.end)
    address = stack.enter_context(server.database())
    run_apart(migrate(address))
    let_in(plane)
    open_namespace(plane, namespace, document_of(namespace, 20, TARGET))
    answers: dict[str, object] = {}
    port, _ = stack.enter_context(fixed_answers(answers))
    issuer = f"http://127.0.0.1:{port}"
    metadata = {"issuer": issuer, "jwks_uri": f"{issuer}/jwks"}
    answers["/.well-known/openid-configuration"] = json.dumps(metadata)
    answers["/jwks"] = json.dumps({"keys": [KEYS[0].as_dict(private=False)]})
    folder = programs.folder / "archer"
    folder.mkdir()
    archer = stack.enter_context(
        Archer(
            folder,
            address,
            issuer,
            account=account(plane, ARCHER, ARCHER, ARCHER),
            server=plane.endpoint,
            clusters=[CLUSTER],
            changes={"history": {"bucket": "none", "region": "us-east-1", "days": 30}},
        )
    )
    for program, (name, place) in PODS.items():
        running = archer.start(program, environment=AWS)
        run_apart(running.ready("/readyz"))
        programs.pod(name, place, page=(int(running.url.rpartition(":")[2]), "/metrics"))
        if program == "service":
            service = running
    with Client(service.url, TokenCredentials(token(issuer))) as client:
        job = make_job(namespace=namespace, queue=f"acme.{namespace}")
        document = job.model_dump(mode="json", exclude_unset=True)
        until(lambda: client.list_clusters(), "Archer knows its cluster", PATIENCE)
        for submitted in [client.submit({**document, "name": name}) for name in ENDED_JOBS]:
            client.wait(submitted["id"])
        client.cordon(CLUSTER, "its jobs are to wait")
        client.submit({**document, "name": "third"})
