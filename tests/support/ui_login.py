"""The login of a gateway in `tests.support.ui_pages`, at an issuer that runs."""

from types import SimpleNamespace

from services.ui_gateway.access import Access
from services.ui_gateway.issuer import Client, Issuer
from services.ui_gateway.login import Login, LoginSettings
from services.ui_gateway.login_secret import LoginSecret
from tests.support.ui_pages import DOMAIN


def login_by(issuer, session, viewers):
    """Makes the login of hosts with their metrics. issuer: its URL. viewers: groups by namespace."""

    def login(hosts, metrics):
        settings = LoginSettings(
            host=f"login.{DOMAIN}",
            hosts=hosts,
            access=Access(viewers=viewers),
            groups_claim="groups",
            hours=8,
        )
        client = Client(issuer, "moka", f"https://login.{DOMAIN}/callback")
        secret = SimpleNamespace(value=LoginSecret("secret", (bytes(32),)))
        return Login(settings, Issuer(client, session), secret, metrics)

    return login
