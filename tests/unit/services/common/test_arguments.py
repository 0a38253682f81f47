import pytest

from services.common import arguments


@pytest.fixture
def pod(monkeypatch):
    """The environment of a pod's container."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "172.20.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")


def parse(*argv):
    return arguments.parser("portal", None).parse_args(argv)


def test_by_default_it_is_a_pod_that_listens_on_all_addresses(pod):
    options = parse()

    assert options.listen == ("0.0.0.0", 8080)
    assert options.service_account.server == "https://172.20.0.1:443"
    assert str(options.service_account.folder) == "/var/run/secrets/kubernetes.io/serviceaccount"


def test_a_service_account_is_a_folder(pod, tmp_path):
    (tmp_path / "namespace").write_text("portal\n")
    (tmp_path / "token").write_text("first\n")

    account = parse(f"--service-account={tmp_path}").service_account
    (tmp_path / "token").write_text("renewed\n")

    assert (account.namespace, account.token) == ("portal", "renewed")


def test_an_api_server_with_an_ipv6_address(pod, monkeypatch):
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")

    assert parse().service_account.server == "https://[fd00::1]:443"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "'KUBERNETES_SERVICE_HOST' is not set: this runs in a pod, or with a pod's environment."),
        (["--listen=localhost"], "argument --listen: 'localhost' has no port; write <host>:<port>"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(monkeypatch, capsys, argv, message):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(SystemExit):
        parse(*argv)

    assert message in capsys.readouterr().err
