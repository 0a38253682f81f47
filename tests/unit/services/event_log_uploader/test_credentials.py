from datetime import UTC, datetime, timedelta

import pytest

from services.event_log_uploader.credentials import ADDRESS, TOKEN_FILE, NoCredentials, PodIdentity
from tests.support.http_server import fixed_answers
from tests.support.pod_identity_agent import pod_identity_agent


@pytest.fixture
def agent(tmp_path):
    with pod_identity_agent(tmp_path / "token") as agent:
        yield agent


def test_they_come_from_the_agent_for_the_token_in_the_file(agent):
    credentials = PodIdentity(agent.environment).credentials()

    assert credentials.token == "session-1"
    assert agent.tokens == ["token-of-the-pod"]


def test_they_are_kept_until_five_minutes_before_their_end(agent):
    now = [datetime.now(UTC)]
    identity = PodIdentity(agent.environment, lambda: now[0])
    first = identity.credentials()

    now[0] += timedelta(hours=5, minutes=54)
    assert identity.credentials() == first
    now[0] += timedelta(minutes=2)
    assert identity.credentials() != first


def test_a_token_that_was_renewed_is_read_anew(agent):
    identity = PodIdentity(agent.environment)
    identity.credentials()
    agent.token_file.write_text("renewed")
    identity.forget()

    identity.credentials()

    assert agent.tokens == ["token-of-the-pod", "renewed"]


def test_a_wrong_token_gives_none_and_the_agent_says_why(agent, tmp_path):
    (tmp_path / "other").write_text("stolen")

    with pytest.raises(NoCredentials, match=r"answered 401.*another one"):
        PodIdentity({**agent.environment, TOKEN_FILE: str(tmp_path / "other")}).credentials()


def test_without_a_token_the_agent_is_not_asked(agent, tmp_path):
    with pytest.raises(NoCredentials, match="No such file"):
        PodIdentity({**agent.environment, TOKEN_FILE: str(tmp_path / "none")}).credentials()

    assert agent.tokens == []


@pytest.mark.parametrize("variable", [ADDRESS, TOKEN_FILE])
def test_without_a_pod_identity_it_says_what_to_do(agent, variable):
    environment = {key: value for key, value in agent.environment.items() if key != variable}

    with pytest.raises(NoCredentials, match=f"{variable}.*give the pod's service account a Pod Identity"):
        PodIdentity(environment).credentials()


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/latest", "http://10.0.0.1/v1", "https://169.254.170.23/", "http://example.org/"],
)
def test_nobody_else_is_sent_the_token(agent, address):
    with pytest.raises(NoCredentials, match=r"gave no credentials"):
        PodIdentity({**agent.environment, ADDRESS: address}).credentials()


@pytest.mark.parametrize("answer", ["{}", "[]", "nothing", '{"AccessKeyId": "A", "Expiration": "never"}'])
def test_an_answer_without_all_of_them_is_refused(tmp_path, answer):
    (tmp_path / "token").write_text("token")
    with (
        fixed_answers({"/v1": answer}) as (port, _),
        pytest.raises(NoCredentials, match="without all of the credentials"),
    ):
        PodIdentity(
            {ADDRESS: f"http://127.0.0.1:{port}/v1", TOKEN_FILE: str(tmp_path / "token")}
        ).credentials()


def test_secrets_are_in_no_text_of_them(agent):
    credentials = PodIdentity(agent.environment).credentials()

    assert "session-1" not in repr(credentials)
