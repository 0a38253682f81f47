"""`moka recover` where states are in a bucket of `moka bootstrap`, their secrets under a key of KMS."""

import subprocess

import pytest

from localcloud.engine import Engine
from tests.support.cut_off import NETWORK, client, cut_off_state, network_stack
from tests.support.kills import ONCE, existing
from tests.support.pulumi_stack import moka, succeeded

pytestmark = pytest.mark.usefixtures("checkpoints")

BUCKET = "moka-local-123456789012-us-east-1-state"
KEY = ".pulumi/stacks/small/dev.json"
BACKEND = {"PULUMI_BACKEND_URL": f"s3://{BUCKET}?region=us-east-1&awssdk=v2"}
SECRETS = "awskms://alias/moka-local-state?region=us-east-1&awssdk=v2"

WITH_SECRET = f'{NETWORK}\npulumi.export("password", pulumi.Output.secret("hunter2"))\n'

EARLIER_VERSIONS = "aws s3api list-object-versions --bucket {bucket} --prefix {key}"
BRING_BACK = "aws s3api copy-object --bucket {bucket} --key {key} --copy-source {bucket}/{key}?versionId={id}"
"""As docs/operations/recovery.md has them."""


def test_a_cut_off_up_is_recovered_and_a_state_that_was_cut_short_is_brought_back(tmp_path):
    with network_stack(tmp_path, WITH_SECRET) as stack:
        s3 = client(stack, "s3")
        succeeded(moka(Engine(stack.engine.cloud), "bootstrap", "local", "--yes"))
        made_by_bootstrap = existing(stack)
        stack.run("stack", "init", "--secrets-provider", SECRETS, **BACKEND)
        stack.up(**BACKEND)
        there = existing(stack)

        def state() -> str:
            return s3.get_object(Bucket=BUCKET, Key=KEY)["Body"].read().decode()

        def recover(*options: str) -> subprocess.CompletedProcess[str]:
            return moka(stack.engine, "recover", "dev", *options, **BACKEND)

        made = ("Subnet b", "NatGateway nat", "Route out", "FlowLog flows")
        s3.put_object(Bucket=BUCKET, Key=KEY, Body=cut_off_state(state(), *made).encode())
        assert recover("--check").returncode == 1
        recovered = recover("--yes")
        assert recovered.returncode == 0, recovered.stderr
        assert "Subnet b: imported, as subnet-" in recovered.stderr
        stack.run("preview", "--expect-no-changes", **BACKEND)
        stack.up(**BACKEND)

        whole = state()
        s3.put_object(Bucket=BUCKET, Key=KEY, Body=whole[:1000].encode())
        refused = recover("--yes")
        assert refused.returncode == 2
        [line] = refused.stderr.splitlines()
        assert "cannot be read" in line and "bring back an earlier version" in line
        assert state() == whole[:1000]
        aws(stack, EARLIER_VERSIONS)
        [last_good, *_] = [
            version["VersionId"]
            for version in s3.list_object_versions(Bucket=BUCKET, Prefix=KEY)["Versions"]
            if version["Key"] == KEY and not version["IsLatest"]
        ]
        aws(stack, BRING_BACK, id=last_good)

        assert (
            recover("--yes").stderr == "dev needs no recovery: nothing is locked, and nothing was cut off.\n"
        )
        stack.run("preview", "--expect-no-changes", **BACKEND)
        assert stack.run("stack", "output", "password", "--show-secrets", **BACKEND).strip() == "hunter2"
        assert "hunter2" not in state()
        assert existing(stack) == there
        assert {kind: there[kind] - made_by_bootstrap[kind] for kind in ONCE} == ONCE
        stack.run("destroy", "--yes", "--skip-preview", **BACKEND)
        assert existing(stack) == made_by_bootstrap


def aws(stack, command: str, **values: str) -> None:
    """Run a command of AWS's command line."""
    words = command.format(bucket=BUCKET, key=KEY, **values).split()
    environment = stack.engine.environment()
    succeeded(subprocess.run(words, env=environment, capture_output=True, text=True))
