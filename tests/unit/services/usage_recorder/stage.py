"""A cluster to record: a scheduler with a ring of events, a bucket of moto's, and ways to cut both off."""

import asyncio
import gzip
import itertools
from contextlib import closing
from pathlib import Path

import boto3
from botocore.exceptions import EndpointConnectionError

from moka.usage import places
from moka.usage.records import APPLICATIONS, GAPS, PROFILES
from services.common.metrics import Metrics
from services.usage_recorder import parquet
from services.usage_recorder.bucket import Bucket
from services.usage_recorder.recorder import Recorder
from services.usage_recorder.sources import Sources
from services.usage_recorder.summary_objects import SummaryObjects

CLUSTER, EKS_CLUSTER = "spark-a", "acme-test-spark-a"
QUEUE = "root.acme.etl.tier1"
BEGAN = 1_795_651_200_000
"""A full day."""

SECOND, HOUR = 1_000, 3_600_000
NANOS = 1_000_000
WORKFLOW_TAG = "kubernetes.io/label/moka.dev/workflow"


def run(coroutine):
    """To its end, in a loop of its own: `asyncio.run` would leave none to the tests of components."""
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(coroutine)


class Killed(BaseException):
    """The process is no more."""


class Ring:
    """YuniKorn's ring of events, with the answers that v1.8.0 gives (pkg/events/event_ringbuffer.go)."""

    def __init__(self, capacity=500_000):
        self.capacity, self.events, self.next = capacity, [None] * capacity, 0

    def add(self, record):
        self.events[self.next % self.capacity] = record
        self.next += 1

    @property
    def lowest(self):
        return max(self.next - self.capacity, 0)

    def answer(self, start, count):
        if not self.lowest <= start < self.next:
            return None
        head, position = self.next % self.capacity, start % self.capacity
        if self.next >= self.capacity and position >= head:
            first = min(position + count, self.capacity) - position
            # Numbers without a sign: what is below zero is larger than any.
            more = position + count - self.capacity
            second = min(more if more >= 0 else 2**64 + more, head) if more else 0
            size = first + second
            answer = self.events[position : position + size]
            answer += [None] * (size - len(answer))
            answer[first:] = self.events[:second]
            return answer
        return self.events[position : min(position + count, head or self.capacity)]


class Scheduler:
    """What the recorder asks. away: whether it does not answer."""

    def __init__(self, capacity=500_000, instance="one"):
        self.ring, self.instance = Ring(capacity), instance
        self.running, self.ended, self.away = {}, [], False

    async def events(self, start):
        self._ask()
        return {
            "InstanceUUID": self.instance,
            "LowestID": self.ring.lowest,
            "HighestID": max(self.ring.next - 1, 0),
            "EventRecords": self.ring.answer(start, 10_000),
        }

    async def active(self):
        self._ask()
        return list(self.running.values())

    async def completed(self):
        self._ask()
        return list(self.ended)

    async def application(self, name):
        self._ask()
        return self.running.get(name)

    def _ask(self):
        if self.away:
            raise OSError("nobody listens")

    # What happens there.

    def start_anew(self, instance):
        self.ring, self.instance, self.running = Ring(self.ring.capacity), instance, {}

    def come(self, name, at, workflow="daily", queue=QUEUE):
        tags = {WORKFLOW_TAG: workflow, "kubernetes.io/meta/namespace": "jobs"}
        self.running[name] = {
            "applicationID": name,
            "queueName": queue,
            "submissionTime": (BEGAN + at) * NANOS,
            "user": "ada",
            "allocations": [],
            "requests": [{"allocationTags": tags}],
        }
        self._add(4, 2, 405, at, objectID=queue, referenceID=name)

    def give(self, name, pod, at, cpu=1000, node="node-1"):
        resources = {"vcore": cpu, "memory": 2**30}
        self.running[name]["allocations"].append(
            {
                "allocationKey": pod,
                "nodeId": node,
                "resource": resources,
                "allocationTags": self.running[name]["requests"][0]["allocationTags"],
            }
        )
        self._add(3, 2, 303, at, objectID=node, referenceID=pod)
        self._add(2, 2, 200, at, objectID=name, referenceID=pod, resource=_resource(resources))

    def take(self, name, pod, at):
        held = self.running[name]["allocations"]
        [one] = [held.pop(i) for i, one in enumerate(held) if one["allocationKey"] == pod]
        self._add(2, 3, 500, at, objectID=name, referenceID=pod, resource=_resource(one["resource"]))

    def end(self, name, at):
        application = self.running.pop(name)
        log = [("Running", application["submissionTime"]), ("Completing", (BEGAN + at) * NANOS)]
        self.ended.append(
            {
                **{key: application[key] for key in ("applicationID", "queueName", "submissionTime", "user")},
                "applicationState": "Completed",
                "finishedTime": (BEGAN + at + 30_000) * NANOS,
                "stateLog": [{"applicationState": state, "time": time} for state, time in log],
            }
        )
        self._add(4, 3, 405, at, objectID=QUEUE, referenceID=name)

    def _add(self, kind, change, detail, at, **more):
        record = {"type": kind, "eventChangeType": change, "eventChangeDetail": detail, **more}
        self.ring.add({**record, "timestampNano": (BEGAN + at) * NANOS})


def _resource(resources):
    return {"resources": {name: {"value": value} for name, value in resources.items()}}


class Machines:
    async def learn(self, nodes):
        self.asked = set(nodes)

    def type_of(self, node):
        return {"node-1": "m7g.4xlarge"}.get(node, "")


class Cut:
    """A client of S3 that can be cut off.

    after: requests that come through; None for all. told: whether those that do not come through are told so;
    otherwise the process ends. late: what does not come through has been done nevertheless.
    """

    def __init__(self, client):
        self._client, self.requests = client, 0
        self.after, self.told, self.late = None, False, False

    def __getattr__(self, name):
        real = getattr(self._client, name)
        if name == "get_paginator":
            return real

        def request(**arguments):
            self.requests += 1
            if self.after is None or self.requests <= self.after:
                return real(**arguments)
            if self.late and self.requests == self.after + 1:
                real(**arguments)
            if self.told:
                raise EndpointConnectionError(endpoint_url="https://s3")
            raise Killed

        return request


class Stage:
    """A scheduler, a bucket, clocks, and recorders of them."""

    _names = itertools.count()

    def __init__(self, client, folder: Path, **scheduler):
        self.client, self.folder = client, folder
        self.name = f"usage-{next(self._names)}"
        client.create_bucket(Bucket=self.name)
        self.scheduler = Scheduler(**scheduler)
        self.now, self.seconds = BEGAN, 0.0

    def bucket(self, client=None):
        return Bucket(client or self.client, self.name)

    def recorder(self, client=None):
        bucket, metrics = self.bucket(client), Metrics("usage_recorder")
        made = Recorder(
            Sources(
                cluster=CLUSTER,
                eks_cluster=EKS_CLUSTER,
                bucket=bucket,
                scheduler=self.scheduler,
                machines=Machines(),
                summaries=SummaryObjects(bucket, EKS_CLUSTER, CLUSTER),
                folder=self.folder,
                now=lambda: self.now,
                clock=lambda: self.seconds,
            ),
            metrics,
        )
        made.registry = metrics.registry
        return made

    def session(self, client=None):
        """Of a recorder that has just taken over."""
        return run(self.recorder(client).begin())

    def keys(self, prefix=""):
        return [one.key for one in self.bucket().objects(prefix)]

    def rows(self, table):
        """All rows of a table, as a question reads them."""
        files = []
        for key in self.keys(places.prefix(table.name)):
            files.append(self.folder / f"asked-{len(files)}.parquet")
            self.bucket().fetch(key, files[-1])
        return sorted(parquet.read(table, files), key=lambda row: [row[name] for name in table.key])

    @property
    def profiles(self):
        return [
            (row["began"] - BEGAN, row["ended"] - BEGAN, row["workflow"], row["cpu"], row["instance_type"])
            for row in self.rows(PROFILES)
        ]

    @property
    def gaps(self):
        return [(row["began"] - BEGAN, row["ended"] - BEGAN, row["says"]) for row in self.rows(GAPS)]

    @property
    def applications(self):
        return {row["application"]: row for row in self.rows(APPLICATIONS)}

    def bring(self, name, lines, day="2026/11/26"):
        """Have Fluent Bit bring an object."""
        text = "".join(f"{line}\n" for line in lines).encode()
        key = f"{EKS_CLUSTER}/yunikorn/{day}/{name}.jsonl.gz"
        self.client.put_object(Bucket=self.name, Key=key, Body=gzip.compress(text))


def client_of(url):
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
