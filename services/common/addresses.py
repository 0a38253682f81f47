"""Hosts of requests: names are for people, and IP addresses for those who ask a pod itself."""

import re
from collections.abc import Mapping
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware


def is_address(host: str) -> bool:
    """Whether the host of a request is an IP address: the kubelet's and Prometheus's, not a browser's."""
    try:
        ip_address(re.sub(r":[0-9]{1,5}\Z", "", host).strip("[]"))
    except ValueError:
        return False
    return True


def apart(own_handlers: Mapping[str, Handler]) -> Middleware:
    """Of a service with pages for people: its health and metrics, by path, for those who ask by address.

    What a gateway passes on names the host of the pages, so it never gets to these; and the other way round.
    """

    @web.middleware
    async def by_host(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_address(request.host):
            return await handler(request)
        answer = own_handlers.get(request.path)
        if answer is None:
            return web.Response(status=404, text="there is no such page; pages have a name for a host\n")
        return await answer(request)

    return by_host
