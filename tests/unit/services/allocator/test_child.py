import asyncio
import os

import aiohttp
import pytest

from localcloud.loopback import free_port
from services.allocator.child import Children
from services.allocator.failure import Failure
from services.common.health import health_server
from services.common.metrics import Metrics
from tests.support.loops import run_apart
from tests.unit.services.allocator import work


def test_work_is_done_in_another_process_in_a_folder_that_is_empty(tmp_path):
    folder = tmp_path / "work"

    async def twice():
        children = Children(folder)
        return [await children.run(60, work.where, number) for number in (1, 2)]

    first, second = run_apart(twice())
    assert (first[0], second[0]) == (1, 2)
    assert len({first[1], second[1], os.getpid()}) == 3
    assert first[2:] == second[2:] == (str(folder), str(folder), [])
    assert not folder.exists()


@pytest.mark.parametrize(
    ("done", "why", "says"),
    [
        (work.fail, "bucket", ["One.", "Two."]),
        (work.break_down, "fault", ["A fault of the program: KeyError: 'x'"]),
        (
            work.be_killed,
            "fault",
            ["The process exited with -9 before it finished (-9: killed by the kernel, out of memory)."],
        ),
    ],
)
def test_what_it_comes_to_is_told(tmp_path, done, why, says):
    with pytest.raises(Failure) as caught:
        run_apart(Children(tmp_path / "work").run(60, done))

    assert (caught.value.why, caught.value.says) == (why, says)


def test_health_is_answered_while_it_hangs_and_it_is_ended(tmp_path):
    file, port = tmp_path / "pid", free_port()

    async def beside():
        hanging = asyncio.create_task(Children(tmp_path / "work").run(3600, work.hang, file))
        while not (file.exists() and file.read_text()):
            assert not hanging.done()
            await asyncio.sleep(0.01)
        async with (
            health_server(("127.0.0.1", port), lambda: None, Metrics("test")),
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{port}/healthz") as answer,
        ):
            text, ended = await answer.text(), hanging.done()
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
        return text, ended

    assert run_apart(beside()) == ("ok\n", False)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_what_takes_too_long_is_ended(tmp_path):
    with pytest.raises(Failure, match=r"The work was stopped because it took longer than 0.01 s\.") as caught:
        run_apart(Children(tmp_path / "work").run(0.01, work.hang, tmp_path / "pid"))

    assert caught.value.why == "time"
