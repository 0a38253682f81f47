import asyncio
import base64
import json

import boto3
import pytest
from moto import mock_aws

from services.ui_gateway.login_secret import KeptSecret, LoginSecret, parsed
from tests.support.ui_pages import run_apart

NEW, FORMER = bytes(range(32)), bytes(range(1, 33))


def text(**values):
    keys = [base64.b64encode(key).decode() for key in (NEW, FORMER)]
    return json.dumps({"client_secret": "s", "session_keys": keys, **values})


def test_the_newest_key_is_sealed_with_once_every_replica_has_it():
    secret = parsed(text(), since=1000.0)

    assert secret.sealing_key(1000.0) == FORMER
    assert secret.sealing_key(1599.0) == FORMER
    assert secret.sealing_key(1600.0) == NEW


def test_a_first_key_is_sealed_with_at_once():
    assert LoginSecret("s", (NEW,), 1000.0).sealing_key(1000.0) == NEW


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "the secret has to be JSON"),
        ("[]", "the secret has to be JSON"),
        ("{}", "the secret has to be JSON"),
        (text(client_secret=""), "client_secret of the secret has to be a text"),
        (text(client_secret=1), "client_secret of the secret has to be a text"),
        (text(session_keys=[]), "session_keys of the secret has to be a list"),
        (text(session_keys="hunter2"), "session_keys of the secret has to be a list"),
        (text(session_keys=["hunter2"]), "is not 32 bytes in base64"),
        (text(session_keys=[1]), "is not 32 bytes in base64"),
        (text(session_keys=[base64.b64encode(NEW[:16]).decode()]), "is not 32 bytes in base64"),
    ],
)
def test_a_secret_that_is_none_is_refused_without_a_word_of_it(value, message):
    with pytest.raises(ValueError, match=message) as error:
        parsed(value, 0.0)

    assert "hunter2" not in str(error.value)


def test_what_is_secret_is_in_no_log():
    secret = repr(LoginSecret("hunter2", (NEW,)))

    assert "hunter2" not in secret
    assert repr(NEW) not in secret


@mock_aws
def test_a_new_value_is_read_and_a_wrong_one_leaves_the_former(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    manager = boto3.client("secretsmanager", region_name="us-east-1")
    kept = KeptSecret(manager, "login")

    async def read():
        await kept.read()
        return kept.value and kept.value.client_secret

    assert run_apart(read()) is None
    manager.create_secret(Name="login", SecretString=text())
    assert run_apart(read()) == "s"
    manager.put_secret_value(SecretId="login", SecretString=text(client_secret="t"))
    assert run_apart(read()) == "t"
    manager.put_secret_value(SecretId="login", SecretString="{}")
    assert run_apart(read()) == "t"


def test_it_is_read_for_ever():
    reads = []

    class Manager:
        def get_secret_value(self, SecretId):
            reads.append(SecretId)
            return {"SecretString": text()}

    async def play():
        running = asyncio.create_task(KeptSecret(Manager(), "login").run())
        while not reads:
            await asyncio.sleep(0)
        running.cancel()

    run_apart(play())

    assert reads == ["login"]
