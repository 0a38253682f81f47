"""Responses that the gateway makes itself; none of them is kept by a browser."""

from aiohttp import web

from services.ui_gateway.texts import RETRY_SECONDS


def plain(status: int, sentence: str) -> web.Response:
    """A sentence."""
    return _not_kept(web.Response(status=status, text=f"{sentence}\n"))


def html(status: int, text: str) -> web.Response:
    """A page."""
    return _not_kept(web.Response(status=status, text=text, content_type="text/html"))


def redirect(url: str) -> web.Response:
    """302 and never 301: the address lives on, and leads elsewhere later."""
    return _not_kept(web.Response(status=302, headers={"Location": url}))


def retry(response: web.Response) -> web.Response:
    """A response that says when to come again."""
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _not_kept(response: web.Response) -> web.Response:
    response.headers["Cache-Control"] = "no-store"
    return response
