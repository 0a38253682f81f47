"""Against a server that lists and watches as the API server does, over HTTP."""

import asyncio
import json
from pathlib import Path

import certifi
import pytest
from aiohttp import web

from localcloud.loopback import free_port
from services.common.kubernetes import Api, ServiceAccount
from services.common.watch import LIST_CHUNK, Watch
from tests.support.ui_pages import run_apart

PATH = "/api/v1/namespaces/data/pods"


class Account(ServiceAccount):
    """Of a server without TLS."""

    authority = Path(certifi.where())
    token = "t"


class Server:
    """Pods of namespace `data`; each response of a watch is what `watches` says next, and then nothing.

    lists: what each list asked for. A number in `refusals` is the status of the next list.
    """

    def __init__(self, *pods):
        self.pods = {pod["metadata"]["uid"]: pod for pod in pods}
        self.version = 100
        self.watches = []
        self.refusals = []
        self.lists = []
        self.watched_from = []
        self.port = free_port()

    async def __aenter__(self):
        application = web.Application()
        application.router.add_get(PATH, self._answer)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_):
        await self._runner.cleanup()

    async def _answer(self, request):
        assert request.headers["Authorization"] == "Bearer t"
        assert request.query["labelSelector"] == "spark-role=driver"
        return await (self._watch(request) if "watch" in request.query else self._list(request))

    async def _list(self, request):
        self.lists.append(dict(request.query))
        if self.refusals:
            return web.json_response({"message": "no"}, status=self.refusals.pop(0))
        size, start = int(request.query["limit"]), int(request.query.get("continue", 0))
        pods = list(self.pods.values())
        metadata = {"resourceVersion": str(self.version)}
        if start + size < len(pods):
            metadata["continue"] = str(start + size)
        return web.json_response({"items": pods[start : start + size], "metadata": metadata})

    async def _watch(self, request):
        self.watched_from.append(request.query["resourceVersion"])
        events = self.watches.pop(0) if self.watches else None
        response = web.StreamResponse()
        await response.prepare(request)
        if events is None:
            await asyncio.Event().wait()
        for event in events:
            if event == "cut":
                request.transport.abort()
                return response
            await response.write(json.dumps(event).encode() + b"\n")
        return response


class Seen:
    """What an observer was told."""

    def __init__(self):
        self.uids = set()

    def observe(self, item, deleted):
        uid = item["metadata"]["uid"]
        (self.uids.discard if deleted else self.uids.add)(uid)

    def keep(self, namespace, uids):
        assert namespace == "data"
        self.uids &= uids


def pod(uid, version=1):
    return {"metadata": {"uid": uid, "resourceVersion": str(version), "padding": "x" * 100}}


def event(kind, uid, version):
    return {"type": kind, "object": pod(uid, version)}


def bookmark(version):
    return {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": str(version)}}}


GONE = {"type": "ERROR", "object": {"code": 410, "message": "too old resource version"}}


@pytest.fixture
def watched():
    """What is seen of a server once `done(server, seen, watch)`."""

    def follow(server, done, seen=None):
        seen = seen or Seen()

        async def play():
            async with server, Api(Account(Path(), f"http://127.0.0.1:{server.port}")) as api:
                watch = Watch(api, "data", "pods", "spark-role=driver", seen, backoff=(0.01, 0.02))
                task = asyncio.create_task(watch.run())
                while not done(server, seen, watch):
                    assert not task.done(), task.exception()
                    await asyncio.sleep(0.01)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                return seen.uids

        return run_apart(asyncio.wait_for(play(), 60))

    return follow


def waits_again(times):
    return lambda server, seen, watch: len(server.watched_from) == times


def test_all_pods_are_listed_in_pages_before_they_are_watched_from_there(watched):
    server = Server(*(pod(f"p{number}") for number in range(2 * LIST_CHUNK + 1)))

    seen = watched(server, waits_again(1))

    assert len(seen) == 2 * LIST_CHUNK + 1
    assert len(server.lists) == 3
    assert server.watched_from == ["100"]


def test_changes_are_told_as_they_come(watched):
    server = Server(pod("a"), pod("b"))
    server.watches = [[event("ADDED", "c", 101), event("DELETED", "a", 102), event("MODIFIED", "b", 103)]]

    assert watched(server, waits_again(2)) == {"b", "c"}


def test_a_watch_that_ends_goes_on_where_it_was_without_a_list(watched):
    server = Server(pod("a"))
    server.watches = [[event("ADDED", "b", 101), bookmark(150)], [event("ADDED", "c", 151)]]

    assert watched(server, waits_again(3)) == {"a", "b", "c"}
    assert server.watched_from == ["100", "150", "151"]
    assert len(server.lists) == 1


def test_a_watch_that_is_cut_off_goes_on_where_it_was(watched):
    server = Server(pod("a"))
    server.watches = [[event("ADDED", "b", 101), "cut"], [event("ADDED", "c", 102)]]

    assert watched(server, waits_again(3)) == {"a", "b", "c"}
    assert len(server.lists) == 1


def test_where_the_version_is_too_old_all_are_listed_anew_and_those_that_are_gone_forgotten(watched):
    server = Server(pod("b"))
    server.watches = [[GONE]]
    seen = Seen()
    seen.uids = {"a"}

    assert watched(server, waits_again(2), seen) == {"b"}
    assert len(server.lists) == 2


@pytest.mark.parametrize("status", [403, 404])
def test_a_namespace_that_it_may_not_watch_yet_has_no_drivers_until_it_may(watched, status):
    server = Server(pod("a"))
    server.refusals = [status]
    seen = Seen()
    seen.uids = {"old"}
    synced = []

    def done(server, seen, watch):
        if watch.synced:
            synced.append(set(seen.uids))
        return server.watched_from

    assert watched(server, done, seen) == {"a"}
    assert synced[0] in (set(), {"a"})
    assert len(server.lists) == 2


def test_it_does_not_take_a_server_that_fails_for_one_without_pods(watched):
    server = Server(pod("a"))
    server.refusals = [500, 503]
    seen = Seen()
    seen.uids = {"a"}

    def done(server, seen, watch):
        assert seen.uids == {"a"}
        assert watch.synced is bool(len(server.lists) > 2) or not watch.synced
        return server.watched_from

    assert watched(server, done, seen) == {"a"}
    assert len(server.lists) == 3
