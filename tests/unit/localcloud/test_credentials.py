import ssl

import pytest
from cryptography import x509

from localcloud.credentials import ADMIN, USERS, Credentials, Principal, principal_of, token_list


@pytest.fixture(scope="module")
def credentials(tmp_path_factory):
    credentials = Credentials(tmp_path_factory.mktemp("plane") / "credentials")
    credentials.make()
    return credentials


def test_nobody_but_the_owner_reads_them(credentials):
    assert credentials.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in credentials.folder.iterdir()} == {0o600}


def test_the_server_is_trusted_at_the_loopback_address(credentials):
    server = x509.load_pem_x509_certificate((credentials.folder / "server.crt").read_bytes())
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert "127.0.0.1" in [str(address) for address in names.get_values_for_type(x509.IPAddress)]
    server.verify_directly_issued_by(x509.load_pem_x509_certificate(credentials.authority.read_bytes()))
    ssl.create_default_context(cafile=credentials.authority)


def test_the_key_of_the_authority_is_kept_nowhere(credentials):
    assert "ca.key" not in {path.name for path in credentials.folder.iterdir()}


def test_making_them_again_changes_nothing(credentials):
    before = credentials.token(ADMIN)

    credentials.make()

    assert credentials.token(ADMIN) == before


def test_a_token_says_whose_it_is_and_nobody_else_can_make_one(credentials, tmp_path):
    me = Principal("arn:aws:iam::123456789012:role/path/me", "laptop")
    other = Credentials(tmp_path / "credentials")
    other.make()
    token = credentials.principal_token(me)

    assert credentials.principal(token) == principal_of(token) == me
    assert other.principal(token) is None
    assert credentials.principal(other.principal_token(me)) is None


@pytest.mark.parametrize(
    "token", ["", "guess", "k8s-laptop-v1.", "k8s-laptop-v1.bm9uZQ.x", "k8s-laptop-v1.W10=.x"]
)
def test_what_is_no_token_of_a_principal_is_nobody_s(credentials, token):
    assert credentials.principal(token) is None


def test_credentials_of_an_earlier_checkout_get_what_they_lack(tmp_path):
    credentials = Credentials(tmp_path / "credentials")
    credentials.make()
    before = credentials.token(ADMIN)
    (credentials.folder / "principals.key").unlink()

    credentials.make()

    assert credentials.token(ADMIN) == before
    assert credentials.principal(credentials.principal_token(Principal("arn:a"))) == Principal("arn:a")


def test_an_interrupted_making_is_begun_anew(tmp_path):
    (tmp_path / "credentials.new").mkdir()
    (tmp_path / "credentials.new" / "ca.crt").write_text("half of")

    credentials = Credentials(tmp_path / "credentials")
    credentials.make()

    assert credentials.authority.read_text().startswith("-----BEGIN CERTIFICATE-----")


def test_the_administrator_is_one_of_kubernetes_own_masters():
    tokens = {user: f"token-of-{user}" for user in USERS}

    assert 'token-of-admin,kubernetes-admin,admin,"system:masters"\n' in token_list(tokens)
