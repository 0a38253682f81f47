"""What a laptop cloud prints of itself, as text and as JSON."""

import json
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from localcloud import clock, unknowns
from localcloud.aws_server import AwsServer
from localcloud.cloud import CHECKOUT, RUN, Cloud, recovery
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.nodes import capped_groups
from localcloud.control_plane.stand_ins import charts, deployments
from localcloud.databases import Database
from localcloud.engine import Engine, Resource
from localcloud.locks import at_work
from localcloud.plugins.aws.api import buckets
from localcloud.plugins.aws.refusals.broken_dependents import broken_dependents
from localcloud.plugins.aws.refusals.excess_permissions import excess_permissions
from localcloud.plugins.aws.refusals.permissions.associations import ServiceAccount
from localcloud.plugins.aws.refusals.permissions.releases import ClusterRelease
from localcloud.plugins.kubernetes.charts import short_name
from localcloud.plugins.kubernetes.kinds import RELEASE

DISK_MIB = 512
"""Disk that a cloud needs: etcd lays out its log ahead, and every program keeps one."""

FIRST_STACK = "`make up` brings up local" if CHECKOUT else "`laptop-cloud exec -- pulumi up` brings one up"

HINTS = (
    (
        "AWS and the machines of the nodes are simulated; docs/laptop-cloud.md says what differs.",
        "By hand: `. .local/env`, then pulumi, kubectl and aws work on this environment.",
    )
    if CHECKOUT
    else (
        "AWS and the machines of the nodes are simulated; `laptop-cloud rules` says what is refused.",
        "By hand: `laptop-cloud exec -- kubectl get nodes`, and so with pulumi and aws.",
    )
)
"""What to know after `up`."""

MOST_LINES = 20
"""Of what stands and would fail: one change can break all."""

SERVICE_ACCOUNT = "kubernetes:core/v1:ServiceAccount"


def free_mib(cloud: Cloud) -> int:
    """What is left on the disk of a cloud, in MiB."""
    place = next(folder for folder in (cloud.home, *cloud.home.parents) if folder.exists())
    return shutil.disk_usage(place).free // 2**20


def say(sentence: str) -> None:
    """Print a line, at once."""
    print(sentence, flush=True)


def complain(sentence: str) -> None:
    """Print a line of what went wrong, after all that was printed before."""
    sys.stdout.flush()
    print(sentence, file=sys.stderr, flush=True)


def recorded(resources: list[Resource]) -> list[str]:
    """Releases that were recorded and not rendered, as their charts could not be reached."""
    return sorted(
        f"{r.outputs.get('namespace')}/{r.outputs.get('name')}"
        for r in resources
        if r.type == RELEASE and (r.outputs.get("status") or {}).get("status") == "recorded"
    )


def facts(engine: Engine) -> dict[str, Any]:
    """All that is known of a cloud, as plain data."""
    server = AwsServer(engine.cloud)
    stacks = {}
    for name in engine.stacks():
        resources = engine.resources(name)
        # What is being made has not been cut off, and the engine's state does not tell the two apart.
        workers = at_work(engine.cloud, engine.project_name, name)
        stacks[name] = {
            "resources": len(resources),
            "recorded_releases": recorded(resources),
            "cut_off": [] if workers else engine.cut_off(name),
            "at_work": workers,
        }
    return {
        "aws": {"running": server.alive(), "url": server.url if server.has_url() else None},
        "buckets": sorted(chain(*buckets(engine.cloud, server.url).values())) if server.alive() else [],
        "clusters": [
            {
                "name": plane.name,
                "running": plane.alive(),
                "not_running": plane.ended(),
                "api_server": plane.endpoint,
                "kubeconfig": str(plane.kubeconfig),
                "yunikorn": charts.yunikorn_url(plane),
                "pages": charts.page_urls(plane),
                "programs": {**charts.addresses(plane), **deployments.addresses(plane)},
                "capped": capped_groups(plane),
            }
            for plane in ControlPlane.all(engine.cloud)
        ],
        "databases": [
            {"name": database.name, "running": database.process.alive(), "address": database.address}
            for database in Database.all(engine.cloud)
        ],
        "stacks": stacks,
    }


def status(engine: Engine, as_json: bool) -> None:
    """Print what runs and what is deployed."""
    cloud = facts(engine)
    if as_json:
        say(json.dumps(cloud, indent=2))
        return
    aws = cloud["aws"]
    say(f"AWS, in memory   {aws['url'] if aws['running'] else 'not running'}")
    for cluster in cloud["clusters"]:
        remark = f" (not running: {', '.join(cluster['not_running'])})"
        say(f"Cluster          {cluster['name']}{remark if cluster['not_running'] else ''}")
        say(f"  API server     {cluster['api_server']}")
        say(f"  kubeconfig     {cluster['kubeconfig']}")
        page = (
            f"{cluster['yunikorn']}/ws/v1/partition/default/queues" if cluster["yunikorn"] else "not running"
        )
        say(f"  YuniKorn       {page}")
        for url in cluster["pages"]:
            say(f"  pages          {url}")
        for program, url in cluster["programs"].items():
            say(f"  runs           {program}: {f'{url}/metrics' if url else 'not running'}")
        for group in cluster["capped"]:
            say(f"  fewer machines {group}")
    for database in cloud["databases"]:
        remark = "" if database["running"] else " (not running)"
        say(f"Database         {database['name']}: {database['address']}{remark}")
    for bucket in cloud["buckets"]:
        say(f"Bucket           s3://{bucket}")
    for name, stack in cloud["stacks"].items():
        say(f"Stack            {name}: {stack['resources']} resources")
        if stack["resources"] and not aws["running"]:
            say(
                f"  lost with the in-memory AWS: `{RUN} down` clears the rest away, "
                f"then `{RUN} up` starts anew"
            )
        if stack["recorded_releases"]:
            say(f"  recorded, not rendered: {', '.join(stack['recorded_releases'])}")
        for pid in stack["at_work"]:
            say(f"  pulumi is at work on it, process {pid}: this is what it has written down so far")
        for urn in stack["cut_off"]:
            say(f"  creation was cut off, may exist: {urn}: `{recovery(name)}` finds out")
    if not cloud["stacks"]:
        say(f"Stack            none yet; {FIRST_STACK}")


def time(engine: Engine) -> None:
    """Print the time in the cloud."""
    say(f"It is {clock.now(engine.cloud):%Y-%m-%d %H:%M} UTC there.")


def summary(engine: Engine) -> None:
    """Print what to know after `up`."""
    status(engine, as_json=False)
    if any(recorded(engine.resources(stack)) for stack in engine.stacks()):
        say(
            "Recorded releases are kept with their values and not rendered, as their charts cannot be "
            "reached from here; to render them, set MOKA_CHARTS=<folder with a folder per chart>."
        )
    if AwsServer(engine.cloud).alive():
        clusters = [plane.name for plane in ControlPlane.all(engine.cloud)]
        for sentence in excess_permissions(engine.cloud, clusters, _releases(engine)):
            say(f"Allowed, and called by nothing known here: {sentence}")
    for sentence in HINTS:
        say(sentence)


def standing(engine: Engine) -> int:
    """List what AWS lets a change break without a word; how much that is."""
    clusters = [plane.name for plane in ControlPlane.all(engine.cloud)]
    sentences = broken_dependents(engine.cloud, clusters, _releases(engine), _service_accounts(engine))
    if sentences:
        say("\nAWS takes all of these changes, and what stands there then fails:")
    for line in condensed(sentences):
        say(f"  {line}")
    return len(sentences)


def condensed(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences on resources, those that many have once; of very many the first."""
    by_reason: dict[str, list[str]] = {}
    for sentence in sentences:
        resource, _, reason = sentence.partition(": ")
        by_reason.setdefault(reason, []).append(resource)
    for reason, [resource, *other_resources] in list(by_reason.items())[:MOST_LINES]:
        yield f"{resource}{f' and {len(other_resources)} more' if other_resources else ''}: {reason}"
    if len(by_reason) > MOST_LINES:
        yield f"and {len(by_reason) - MOST_LINES} reasons more, which often go with the first."


def _releases(engine: Engine) -> list[ClusterRelease]:
    """The releases of every stack."""
    return [
        ClusterRelease(
            cluster,
            short_name(str(inputs.get("chart"))),
            str(inputs.get("namespace")),
            inputs.get("values") or {},
        )
        for cluster, inputs in _in_clusters(engine, RELEASE)
    ]


def _service_accounts(engine: Engine) -> list[ServiceAccount]:
    """The service accounts that stacks made themselves."""
    return [
        ServiceAccount(cluster, str(metadata.get("namespace") or "default"), str(metadata.get("name")))
        for cluster, inputs in _in_clusters(engine, SERVICE_ACCOUNT)
        for metadata in [inputs.get("metadata") or {}]
    ]


def _in_clusters(engine: Engine, type: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Cluster and inputs of every stack's resources of a type in Kubernetes."""
    planes = ControlPlane.all(engine.cloud)
    for stack in engine.stacks():
        resources = engine.resources(stack)
        kubeconfigs = {r.urn: str(r.inputs.get("kubeconfig")) for r in resources}
        for r in resources:
            if r.type == type:
                for plane in planes:
                    if plane.endpoint in kubeconfigs.get(r.provider, ""):
                        yield plane.name, r.inputs


def unknown(engine: Engine) -> None:
    """List what the rules of AWS, EKS and Kubernetes did not know in this run, and so did not refuse."""
    for sentence in unknowns.noted(engine.cloud):
        say(f"Not decided: {sentence}")


def killed(verb: str, stack: str, number: int) -> None:
    """Say that a signal ended the engine, which had no time to say anything, and how to go on."""
    # A killed engine leaves its last line unfinished.
    say("")
    command = "down" if verb == "destroy" else verb
    complain(
        f"pulumi was killed ({signal.Signals(number).name}) before `{verb}` of {stack} had ended: by "
        f"somebody, or by the system for want of memory. Run `{recovery(stack)}`, which finds what "
        f"it made without writing it down, then `{RUN} {command}` again to go on."
    )


def ended(engine: Engine) -> None:
    """Say what has ended of control planes, and that the disk is full, where an update has failed."""
    for plane in ControlPlane.all(engine.cloud):
        # Those that were never started were waiting for the first one.
        names = [name for name in plane.ended() if plane.process(name).pid_file.exists()]
        if names:
            complain(f"{names[0]} of cluster {plane.name} has ended; {plane.process(names[0]).last_words()}")
    if not free_mib(engine.cloud):
        complain(
            f"The disk of {engine.cloud.home} is full: free {DISK_MIB} MiB, then run the same again, which "
            "goes on from what is written down."
        )


def cut_off(engine: Engine, stack: str) -> None:
    """List resources whose creation was cut off, so that what is left of them is not hidden."""
    urns = engine.cut_off(stack)
    for urn in urns:
        say(f"Creation was cut off; it may exist, unknown to the stack: {urn}")
    if urns:
        say(f"`{recovery(stack)}` finds out, and imports it.")
