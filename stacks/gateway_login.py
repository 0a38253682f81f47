"""The login before a cluster's pages, and the pages that are for operators only, by the settings."""

from collections.abc import Mapping

from moka.celeborn.configuration import MASTER_HTTP_PORT
from moka.components.kubernetes import yunikorn
from moka.components.kubernetes.gateway_login import GatewayLogin
from moka.names import CELEBORN_NAMESPACE, YUNIKORN_NAMESPACE
from moka.pages import CELEBORN, YUNIKORN, page_host
from stacks.settings import Environment


def gateway_login(settings: Environment, cluster: str) -> GatewayLogin | None:
    """The login of a cluster; None for none."""
    login = settings.ingress.login
    if login is None:
        return None
    foundation = settings.foundation_of(cluster)
    return GatewayLogin(
        issuer=login.issuer,
        client_id=login.client_id,
        secret=login.secret,
        region=foundation.region,
        account=foundation.account,
        secret_key_arn=login.secret_key,
        scopes=login.scopes,
        groups_claim=login.groups_claim,
        hours=login.hours,
        viewers={name: namespace.viewers for name, namespace in settings.job_namespaces.items()},
        operators=login.operators,
        for_operators=sorted({place.partition("/")[0] for place in platform_pages(settings, cluster)}),
    )


def platform_pages(settings: Environment, cluster: str) -> Mapping[str, str]:
    """`<host>[/path]` -> server, of what operators see; nothing where nobody is known to be one.

    YuniKorn's page and Celeborn's have no password of their own.
    """
    if settings.ingress.login is None or not settings.ingress.login.operators:
        return {}
    domain = settings.ui_domain(cluster)
    scheduler, host = f"http://{yunikorn.SERVICE}.{YUNIKORN_NAMESPACE}", page_host(YUNIKORN, domain)
    celeborn = f"http://celeborn-master.{CELEBORN_NAMESPACE}:{MASTER_HTTP_PORT}"
    return {
        host: f"{scheduler}:{yunikorn.WEB_PORT}",
        f"{host}/ws": f"{scheduler}:{yunikorn.API_PORT}",
        **({page_host(CELEBORN, domain): celeborn} if settings.clusters[cluster].shuffle else {}),
    }
