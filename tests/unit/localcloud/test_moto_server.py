import subprocess
import sys

from localcloud.cloud import REPOSITORY

ROLES_WHILE_OTHERS_ARE_MADE = """
import runpy

import boto3
import moto.server
from moto import mock_aws
from moto.iam.models import iam_backends

moto.server.main = lambda: None
runpy.run_module("localcloud.moto_server", run_name="__main__")
with mock_aws():
    iam = boto3.client("iam", region_name="us-east-1")
    for name in ("first", "second"):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument="{}")
    for role in iam_backends["123456789012"]["aws"].get_roles():
        iam.create_role(RoleName=f"beside-{role.name}", AssumeRolePolicyDocument="{}")
        print(role.name)
"""
"""With all that the server changes of moto, which would be changed in this process too."""


def test_roles_can_be_looked_through_while_another_is_made():
    run = subprocess.run(
        [sys.executable, "-c", ROLES_WHILE_OTHERS_ARE_MADE], cwd=REPOSITORY, capture_output=True, text=True
    )

    assert run.stdout.split() == ["first", "second"], run.stderr
