"""The machine's Chromium, driven by playwright: PyPI has the driver, and no browser."""

import shutil
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from playwright.async_api import async_playwright

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NEEDED = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium: `apt-get install chromium` has it")


class Tab:
    """A tab, and what went wrong in it with hosts below .example. page: playwright's."""

    def __init__(self, page):
        self.page = page
        self.wrong = []
        page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        page.on("console", lambda line: line.type == "error" and self._note(line.location["url"], line.text))
        page.on("requestfailed", lambda request: self._note(request.url, request.failure))
        page.on("response", lambda answer: answer.status >= 400 and self._note(answer.url, answer.status))

    async def open(self, url):
        """Open a page, until nothing is loading any more."""
        await self.page.goto(url, wait_until="networkidle")

    async def links(self):
        """Addresses of the page's links, without those to a place on it."""
        addresses = await self.page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        return sorted({url.partition("#")[0] for url in addresses if url.startswith("http")})

    async def status(self, url):
        """Status of an address of the page's own host, with the tab's cookies."""
        whole = "url => fetch(url).then(answer => answer.text().then(() => answer.status))"
        return await self.page.evaluate(whole, url)

    def _note(self, url, problem):
        if urlsplit(url).netloc.endswith(".example"):
            self.wrong.append(f"{url}: {problem}")


@asynccontextmanager
async def tab(**ports):
    """A tab of a browser of its own. ports: of 127.0.0.1, for `http` and `https` of hosts below .example."""
    numbers = {"http": 80, "https": 443}
    rules = ",".join(f"MAP *.example:{numbers[scheme]} 127.0.0.1:{port}" for scheme, port in ports.items())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=PROGRAM,
            args=["--no-sandbox", "--disable-gpu", "--no-proxy-server", f"--host-resolver-rules={rules}"],
        )
        context = await browser.new_context(
            ignore_https_errors=True, viewport={"width": 1400, "height": 1000}
        )
        yield Tab(await context.new_page())
        await browser.close()
