import pytest
from multidict import CIMultiDict

from services.ui_gateway.proxy import relative, returned, sent

HOST = "etl.data.spark-a.spark.example"
HOSTS = {HOST, "10.0.0.1"}


@pytest.mark.parametrize(
    ("location", "rewritten"),
    [
        (f"http://{HOST}/jobs/", "/jobs/"),
        (f"http://{HOST}:4040/stages/?id=1#top", "/stages/?id=1#top"),
        (f"HTTPS://{HOST.upper()}/jobs/", "/jobs/"),
        ("http://10.0.0.1:4040/jobs/", "/jobs/"),
        (f"//{HOST}/jobs/", "/jobs/"),
        (f"http://{HOST}", "/"),
        (f"http://{HOST}//evil.example/", "/evil.example/"),
        ("/jobs/?id=1", "/jobs/?id=1"),
        ("jobs/", "jobs/"),
        ("https://docs.example/help", "https://docs.example/help"),
        (f"https://{HOST}.evil.example/", f"https://{HOST}.evil.example/"),
        ("http://[", "/"),
        ("", ""),
    ],
)
def test_a_redirect_of_a_ui_to_itself_has_no_scheme_and_no_host(location, rewritten):
    assert relative(location, HOSTS) == rewritten


def test_a_page_gets_no_session_and_no_credentials():
    headers = {"Cookie": "session=1", "Authorization": "Bearer t", "Accept": "text/html"}

    kept = sent(headers, HOST, "10.1.1.1", "https")

    assert {name.lower() for name in kept} == {
        "accept",
        "host",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
    }


def test_what_a_client_claims_of_proxies_is_not_passed_on():
    headers = {"X-Forwarded-Context": "/evil", "X-Forwarded-Host": "evil.example", "Forwarded": "for=1"}

    kept = sent(headers, HOST, "10.1.1.1", "https")

    assert "X-Forwarded-Context" not in kept
    assert "Forwarded" not in kept
    assert kept["X-Forwarded-Host"] == HOST


def test_the_client_is_whom_the_controller_says():
    assert sent({"X-Forwarded-For": "10.9.9.9"}, HOST, "10.1.1.1", "https")["X-Forwarded-For"] == "10.9.9.9"
    assert sent({}, HOST, "10.1.1.1", "https")["X-Forwarded-For"] == "10.1.1.1"


def test_headers_of_one_connection_stay_on_it():
    headers = CIMultiDict(
        {"Connection": "close, X-Hop", "X-Hop": "1", "Upgrade": "websocket", "Transfer-Encoding": "chunked"}
    )

    assert set(sent(headers, HOST, "c", "https")) & {"Connection", "X-Hop", "Upgrade"} == set()
    assert dict(returned(headers, HOST, "10.0.0.1")) == {}


def test_a_page_sets_no_cookie_and_ends_no_session():
    headers = CIMultiDict({"Set-Cookie": "a=1", "Clear-Site-Data": '"cookies"', "Content-Type": "text/html"})
    headers.add("Set-Cookie", "b=2")

    assert dict(returned(headers, HOST, "10.0.0.1")) == {"Content-Type": "text/html"}
