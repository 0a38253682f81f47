import json
import os
import sys

import psutil
import pytest

from localcloud.errors import Refusal
from localcloud.loopback import free_port, port_taken
from localcloud.processes import Process, last_meaningful_line

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def process(tmp_path):
    process = Process(tmp_path, "program")
    yield process
    process.stop()


def pid_of(process):
    return json.loads(process.pid_file.read_text())["pid"]


def test_a_started_program_runs_in_a_session_of_its_own(process):
    process.start(SLEEP)

    assert process.alive()
    assert os.getsid(pid_of(process)) != os.getsid(0)


def test_a_program_has_no_secret_of_the_environment_of_who_starts_it(process, monkeypatch):
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PULUMI_CONFIG_PASSPHRASE"):
        monkeypatch.setenv(name, "planted")
    monkeypatch.setenv("MOKA_AS_OF", "2026-01-01")

    process.start(SLEEP, {"FOR_THE_PROGRAM": "yes"})

    variables = psutil.Process(pid_of(process)).environ()
    assert "planted" not in variables.values()
    assert (variables["MOKA_AS_OF"], variables["FOR_THE_PROGRAM"]) == ("2026-01-01", "yes")


def test_a_second_start_does_nothing(process):
    process.start(SLEEP)
    first = pid_of(process)

    process.start(SLEEP)

    assert pid_of(process) == first


def test_stop_ends_the_program_and_what_it_started(process):
    child = (
        f"import subprocess, time; p = subprocess.Popen({SLEEP!r}); print(p.pid, flush=True); time.sleep(600)"
    )
    process.start([sys.executable, "-c", child], ready=lambda: bool(process.log.read_text().strip()))
    child_pid = int(process.log.read_text())

    process.stop()

    assert not process.alive()
    assert not psutil.pid_exists(child_pid) or psutil.Process(child_pid).status() == psutil.STATUS_ZOMBIE


def test_a_program_that_does_not_listen_to_a_request_to_end_is_ended(process):
    deaf = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    process.start([sys.executable, "-c", deaf], ready=lambda: "deaf" in process.log.read_text())

    process.stop(timeout=0.2)

    assert not process.alive()


def test_a_program_that_ends_at_once_is_refused_with_its_last_words_and_its_log(process):
    with pytest.raises(Refusal, match="error: no such flag") as refusal:
        process.start(["/bin/sh", "-c", "echo starting; echo 'error: no such flag'; echo; exit 1"])

    assert str(process.log) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_program_that_is_not_there_is_refused(process):
    with pytest.raises(Refusal, match="not found"):
        process.start(["/nowhere/at-all"])


def test_a_program_that_never_gets_ready_is_refused(process):
    with pytest.raises(Refusal, match="not ready after 0 s"):
        process.start(SLEEP, ready=lambda: False, timeout=0.1)


def test_another_process_with_the_same_pid_is_not_taken_for_ours(process):
    note = {"pid": os.getpid(), "began": psutil.Process().create_time() - 3600, "as": [[], {}]}
    process.pid_file.write_text(json.dumps(note))

    assert not process.alive()
    process.stop()


def test_a_program_started_with_other_arguments_does_not_run_as_asked(process):
    process.start(SLEEP, {"A": "1"})

    assert process.runs_as(SLEEP, {"A": "1"})
    assert not process.runs_as(SLEEP, {"A": "2"})


def test_a_program_whose_last_threads_are_ending_is_started_once_its_port_is_free(process):
    port = free_port()
    listen = (
        f"import socket; server = socket.create_server(('127.0.0.1', {port})); print('listens', flush=True)"
    )

    def listens():
        return "listens" in process.log.read_text()

    # Asked to end, its first thread does so at once, as when it is killed; another holds the port longer.
    slow = f"""import ctypes, signal, threading, time
{listen}
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=time.sleep, args=[2]).start())
signal.pause()
ctypes.CDLL(None).pthread_exit(None)"""
    process.start([sys.executable, "-c", slow], ready=listens)
    first = psutil.Process(pid_of(process))
    first.terminate()
    while first.status() != psutil.STATUS_ZOMBIE:
        assert first.is_running()
    assert not process.alive()
    assert port_taken(port)

    process.start([sys.executable, "-c", f"{listen}; import time; time.sleep(600)"], ready=listens)

    assert process.alive()


def test_the_log_of_the_time_before_is_kept(process):
    process.start(
        ["/bin/sh", "-c", "echo first; sleep 600"], ready=lambda: "first" in process.log.read_text()
    )
    process.stop()

    process.start(SLEEP)

    assert process.log.with_suffix(".log.1").read_text() == "first\n"


def test_files_of_a_process_are_for_its_owner_only(process):
    process.start(SLEEP)

    assert process.log.stat().st_mode & 0o077 == 0
    assert process.pid_file.stat().st_mode & 0o077 == 0


def test_the_last_error_is_what_a_program_said():
    log = "I starting\nError: port is taken\ngoodbye\n\tat a.stack.trace\n\n"

    assert last_meaningful_line(log) == "Error: port is taken"


def test_a_panic_of_go_is_told_without_its_frames():
    log = (
        "panic: failed to create WAL\n\ngoroutine 1 [running]:\n"
        "go.uber.org/zap.(*Logger).Panic(0x2e2f80f2c700?, {0x12ca13c?, 0x38?})\n\tzap/logger.go:285 +0x4b\n"
        "main.main()\n\tmain.go:29 +0x1d\n"
    )

    assert last_meaningful_line(log) == "panic: failed to create WAL"


def test_a_line_of_json_is_told_plainly():
    assert last_meaningful_line('{"level":"fatal","msg":"discovery failed","error":"in use"}') == (
        "discovery failed: in use"
    )
