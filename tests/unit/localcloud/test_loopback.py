"""Ports for programs that are about to listen."""

import socket
import subprocess
import sys

import pytest

from localcloud import loopback
from localcloud.errors import Refusal
from localcloud.loopback import free_port, port_taken


def test_a_free_port_is_not_taken_until_somebody_listens():
    port = free_port()
    assert not port_taken(port)

    with socket.create_server(("127.0.0.1", port)):
        assert port_taken(port)


@pytest.fixture
def three_ports(monkeypatch, tmp_path):
    """A range of three ports in which nobody else chooses, none of them reserved."""
    monkeypatch.setattr(loopback, "PORTS", ports := range(loopback.PORTS.start - 3, loopback.PORTS.start))
    monkeypatch.setenv("MOKA_CACHE", str(tmp_path))
    return [port for port in ports if not port_taken(port)]


def test_a_port_is_given_to_one_though_nobody_listens_yet(three_ports):
    assert sorted(free_port() for _ in three_ports) == three_ports
    with pytest.raises(Refusal, match=f"Every port from {loopback.PORTS.start} to {loopback.PORTS.stop - 1}"):
        free_port()


def test_a_port_of_which_nothing_came_is_given_again_after_a_minute(three_ports, monkeypatch):
    ports = [free_port() for _ in three_ports]
    now = loopback.time.time()

    monkeypatch.setattr(loopback.time, "time", lambda: now + loopback.RESERVED_SECONDS)

    assert sorted(free_port() for _ in three_ports) == sorted(ports)


def test_another_process_is_given_another(three_ports):
    program = (
        "from localcloud import loopback\n"
        f"loopback.PORTS = range({loopback.PORTS.start}, {loopback.PORTS.stop})\n"
        "print(loopback.free_port())"
    )
    others = [
        int(
            subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
        )
        for _ in three_ports[1:]
    ]

    assert sorted([free_port(), *others]) == three_ports
