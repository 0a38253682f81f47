import os
import subprocess
import sys

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.eks.plugin import Plugin


def test_the_plugin_does_not_start_outside_the_laptop_cloud():
    prefixes = ("MOKA_", "PULUMI_", "AWS_")
    elsewhere = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    elsewhere["PULUMI_BACKEND_URL"] = "s3://state-of-production"
    started = subprocess.run(
        [sys.executable, "-m", "localcloud.plugins.eks", "127.0.0.1:1"],
        env=elsewhere,
        capture_output=True,
        text=True,
    )

    assert started.returncode == 1
    assert started.stdout == ""
    assert "Traceback" not in started.stderr
    assert len(started.stderr.splitlines()) == 1


def test_a_component_that_is_not_served_is_refused_by_its_name():
    with pytest.raises(
        Refusal, match=r"does not serve eks:index:NodeGroupSecurityGroup \(workers\): it serves eks"
    ):
        Plugin().construct("workers", "eks:index:NodeGroupSecurityGroup", {})


def test_a_method_that_is_not_served_is_refused_by_its_name():
    with pytest.raises(Refusal, match=r"does not serve eks:index:Cluster/getToken: eks:index:Cluster"):
        Plugin().call("eks:index:Cluster/getToken", {})
