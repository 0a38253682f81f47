import pytest

from services.common.addresses import is_address
from services.ui_gateway.hosts import Application, Hosts, pages

DOMAIN = "spark-a.spark.example"
HOSTS = Hosts(
    DOMAIN,
    pages(
        [
            f"yunikorn.{DOMAIN}=http://yunikorn:9889",
            f"yunikorn.{DOMAIN}/ws=http://yunikorn:9080",
            "history.spark.example=http://history:18080",
        ]
    ),
)


@pytest.mark.parametrize(
    "host", [f"etl.data.{DOMAIN}", f"ETL.Data.{DOMAIN.upper()}", f"etl.data.{DOMAIN}:8443"]
)
def test_a_host_names_an_application_in_its_namespace_in_any_case_and_with_any_port(host):
    assert HOSTS.target(host) == Application(namespace="data", name="etl")


@pytest.mark.parametrize(
    "host",
    [
        "",
        DOMAIN,
        f"data.{DOMAIN}",
        f"a.etl.data.{DOMAIN}",
        f"etl..{DOMAIN}",
        f"etl.data.{DOMAIN}.",
        f"etl.data.{DOMAIN}:x",
        f"etl.data.{DOMAIN}:443:443",
        f"etl.data.{DOMAIN}.evil.example",
        "etl.data.spark-b.spark.example",
        f"etl.data.x{DOMAIN}",
        f"-etl.data.{DOMAIN}",
        f"etl_1.data.{DOMAIN}",
        f"jöb.data.{DOMAIN}",
        f"{'a' * 64}.data.{DOMAIN}",
        f"etl.data.{DOMAIN}\n",
        "127.0.0.1",
    ],
)
def test_any_other_host_leads_nowhere(host):
    assert HOSTS.target(host) is None


def test_an_international_name_is_a_label_like_any_other():
    assert HOSTS.target(f"xn--jb-fka.data.{DOMAIN}") == Application(namespace="data", name="xn--jb-fka")


@pytest.mark.parametrize(
    ("host", "path", "server"),
    [
        (f"yunikorn.{DOMAIN}", "/", "http://yunikorn:9889"),
        (f"yunikorn.{DOMAIN}", "/wsx", "http://yunikorn:9889"),
        (f"yunikorn.{DOMAIN}", "/ws", "http://yunikorn:9080"),
        (f"yunikorn.{DOMAIN}", "/ws/v1/queues", "http://yunikorn:9080"),
        ("history.spark.example:443", "/history/spark-1/", "http://history:18080"),
    ],
)
def test_a_page_has_a_server_for_each_path(host, path, server):
    assert HOSTS.target(host).upstream(path) == server


@pytest.mark.parametrize("host", ["10.0.0.1", "10.0.0.1:8080", "[fd00::1]:8080", "[::1]"])
def test_probes_and_scrapes_ask_by_address(host):
    assert is_address(host)


@pytest.mark.parametrize("host", ["", "localhost", f"etl.data.{DOMAIN}", "10.0.0.1.example"])
def test_a_name_is_no_address(host):
    assert not is_address(host)


@pytest.mark.parametrize(
    "text", ["yunikorn", "yunikorn=9080", "Y=http://y:1", "y=http://y:1/ws", "=http://y:1"]
)
def test_a_page_that_is_not_written_as_one_is_refused(text):
    with pytest.raises(ValueError, match=r"write <host>\[/path\]=http://<server>:<port>"):
        pages([text])
