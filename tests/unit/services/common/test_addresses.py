import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from services.common.addresses import apart


def answer(host, path):
    async def health(_):
        return web.Response(text="ok")

    async def page(request):
        return web.Response(text=f"page {request.path}")

    async def run():
        application = web.Application(middlewares=[apart({"/healthz": health})])
        application.router.add_get("/{rest:.*}", page)
        async with TestClient(TestServer(application)) as client:
            response = await client.get(path, headers={"Host": host})
            return response.status, await response.text()

    return asyncio.run(run())


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/jobs/"])
def test_who_asks_by_name_gets_a_page_whatever_its_path(path):
    assert answer("history.example", path) == (200, f"page {path}")


@pytest.mark.parametrize("host", ["10.0.0.7:8080", "10.0.0.7", "[fd00::7]:8080"])
def test_who_asks_by_address_gets_health_and_no_page(host):
    assert answer(host, "/healthz") == (200, "ok")
    assert answer(host, "/jobs/")[0] == 404
