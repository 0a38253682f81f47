import socket

import pytest

from doctor.checks.endpoints import connections
from tests.support.aws_stubs import lines


def test_of_an_api_server_that_is_not_there_yet_one_learns_what_it_will_take(place):
    def public(written):
        written["clusters"]["spark-a"]["public_access"] = ["54.240.193.0/24"]

    assert lines(connections, place()) == [
        "not checked main/spark-a The API server does not exist yet; it will be reachable from inside the "
        "VPC. Run `up` in the VPC, or where a VPN or peering leads to it."
    ]
    assert lines(connections, place(public)) == [
        "not checked main/spark-a The API server does not exist yet; it will be reachable from "
        "54.240.193.0/24, or from inside the VPC. Run `up` there."
    ]


@pytest.fixture
def served():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def at(server):
    return named(f"https://127.0.0.1:{server.getsockname()[1]}")


def named(url):
    answer = {"cluster": {"name": "acme-trial-spark-a", "endpoint": url}}
    return url.removeprefix("https://"), {
        "eks": [("describe_cluster", {"name": "acme-trial-spark-a"}, answer)]
    }


def test_an_api_server_that_answers_is_reached(place, served):
    address, stubbed = at(served)

    assert lines(connections, place(stubbed=stubbed)) == [
        f"ok main/spark-a The API server {address} is reachable from here."
    ]


def test_an_api_server_whose_name_nobody_knows_is_a_warning(place):
    address, stubbed = named("https://api.acme.invalid")

    assert lines(connections, place(stubbed=stubbed)) == [
        f"warning main/spark-a The name of the API server {address} cannot be resolved here. Run `up` where "
        "DNS answers with addresses of the VPC."
    ]


def test_an_api_server_that_does_not_answer_is_a_problem(place, served):
    address, stubbed = at(served)
    served.close()

    assert lines(connections, place(stubbed=stubbed)) == [
        f"problem main/spark-a The API server {address} is not reachable from here (Connection refused); it "
        "is reachable from inside the VPC. Run `up` there."
    ]
