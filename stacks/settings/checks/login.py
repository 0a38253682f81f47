"""The login: what needs it, and what it needs."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment


def viewers(settings: Environment) -> Iterator[Mistake]:
    """Namespaces that are for some only, where nobody knows who comes."""
    for name, namespace in settings.job_namespaces.items():
        yield from repeated(f"job_namespaces.{name}.viewers", namespace.viewers)
        if namespace.viewers and settings.ingress.login is None:
            yield Mistake(
                f"job_namespaces.{name}.viewers",
                "names groups, but without ingress.login nobody knows who comes, and all see its jobs; add a "
                "login, or remove them",
            )


def gateway(settings: Environment) -> Iterator[Mistake]:
    """A login without the service that asks for it, or with a key of elsewhere."""
    login = settings.ingress.login
    if login is None:
        return
    yield from repeated("ingress.login.operators", login.operators)
    if settings.services.ui_gateway is None:
        yield Mistake(
            "ingress.login",
            "is asked for by services.ui_gateway, which is not set; add its image, or remove it",
        )
    if settings.ui_scheme != "https":
        yield Mistake(
            "ingress.login",
            "needs TLS, as browsers keep its cookies with https only; set certificates of each foundation",
        )
    if login.secret_key is None:
        return
    region, account = login.secret_key.split(":")[3:5]
    for name, foundation in settings.foundations.items():
        if (region, account) != (foundation.region, foundation.account):
            yield Mistake(
                "ingress.login.secret_key",
                f"is of {region} and account {account}, but the secret is also in {foundation.region} of "
                f"{foundation.account}, for foundation {name!r}; encrypt it with AWS's own key there, and "
                "remove secret_key",
            )
