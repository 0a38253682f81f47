"""A second Ctrl-C while AWS was making things: it ends pulumi at once, and AWS makes them all the same."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY
from localcloud.errors import Refusal
from tests.support.cut_off import network_stack, recover
from tests.support.kills import ONCE, existing, plugins_of, running

pytestmark = pytest.mark.usefixtures("checkpoints")

QUIET = ("--non-interactive",)


def test_after_a_double_ctrl_c_one_recovery_and_the_same_command_make_all_of_it_once(tmp_path, capfd):
    with network_stack(tmp_path) as stack:
        engine = stack.engine
        [aws] = running([AwsServer(engine.cloud).process])
        up = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "localcloud",
                "--project",
                str(engine.project),
                "up",
                "--stack",
                "dev",
                "--",
                *QUIET,
            ],
            cwd=REPOSITORY,
            env=engine.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        # Once the VPC is recorded AWS takes its time, so what stands in it is under way.
        while not any(r.type == "aws:ec2/vpc:Vpc" for r in engine.resources("dev")):
            assert up.poll() is None, up.communicate()[0]
            time.sleep(0.01)
        aws.suspend()
        while not any("subnet" in urn for urn in engine.cut_off("dev")):
            assert up.poll() is None, up.communicate()[0]
            time.sleep(0.01)
        plugins = plugins_of(psutil.Process(up.pid))
        os.killpg(up.pid, signal.SIGINT)
        assert any("press ^C again" in line for line in up.stdout)
        os.killpg(up.pid, signal.SIGINT)
        up.communicate()
        aws.resume()
        psutil.wait_procs(plugins, timeout=90)

        assert up.returncode != 0
        assert any("subnet" in urn for urn in engine.cut_off("dev"))
        with pytest.raises(Refusal, match=r"cut off while it was creating .*: run `make recover STACK=dev`"):
            commands.up(engine, "dev", QUIET)
        recovered = recover(stack, "--yes")
        assert recovered.returncode == 0, recovered.stderr
        assert commands.up(engine, "dev", QUIET) == 0

        assert existing(stack) == ONCE
        stack.expect_no_changes()
