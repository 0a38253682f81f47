"""Traefik, as its chart would run it: against the real API server, as its own service account."""

from collections.abc import Iterator, Mapping
from typing import Any

from localcloud import tools
from localcloud.control_plane.api import Object
from localcloud.control_plane.stand_ins.processes import Command, Surroundings
from localcloud.control_plane.stand_ins.releases import Release, Values, merge, value_at

WEB, WEB_TLS, HEALTH, METRICS = "web", "websecure", "traefik", "metrics"
"""Entry points, as the chart calls them; each is a server here."""

ACCOUNT = "traefik"

# The chart's defaults (41.3) that reach the program.
DEFAULTS: Values = {
    "global": {"checkNewVersion": True},
    "providers": {"kubernetesIngress": {"allowEmptyServices": True, "ingressClass": "", "namespaces": []}},
    "ports": {"web": {}, "websecure": {"http": {"tls": {"enabled": True}}, "exposedPort": 443}},
    "log": {"level": "INFO"},
    "metrics": {"prometheus": {"addRoutersLabels": None}},
    "accessLog": {"enabled": False, "fields": {"headers": {"defaultMode": "drop"}}},
    "ingressClass": {"enabled": True, "isDefaultClass": True, "name": ""},
}

# Flag -> the value of the chart that it is set from, as in the chart's templates/_podtemplate.tpl.
FLAGS = {
    "global.checkNewVersion": "global.checkNewVersion",
    "providers.kubernetesingress.allowEmptyServices": "providers.kubernetesIngress.allowEmptyServices",
    "providers.kubernetesingress.ingressClass": "providers.kubernetesIngress.ingressClass",
    "providers.kubernetesingress.namespaces": "providers.kubernetesIngress.namespaces",
    "log.format": "log.format",
    "log.level": "log.level",
    "metrics.prometheus.addRoutersLabels": "metrics.prometheus.addRoutersLabels",
    "accesslog": "accessLog.enabled",
    "accesslog.format": "accessLog.format",
    "accesslog.fields.headers.defaultmode": "accessLog.fields.headers.defaultMode",
    "accesslog.fields.queryparameters.defaultmode": "accessLog.fields.queryParameters.defaultMode",
}


OF_ENTRY_POINTS = {
    "asDefault": "asDefault",
    "http.tls": "http.tls.enabled",
    "http.redirections.entryPoint.scheme": "http.redirections.entryPoint.scheme",
    "http.redirections.entryPoint.permanent": "http.redirections.entryPoint.permanent",
    "transport.lifeCycle.graceTimeOut": "transport.lifeCycle.graceTimeOut",
}
"""The same below `entryPoints.<name>` and `ports.<name>`."""

REDIRECTED_TO = "http.redirections.entryPoint.to"


def command(release: Release, around: Surroundings) -> Command:
    """The controller. It finds the API server by its flags, and pods by the pod network."""
    assert around.account is not None, "Traefik has an account"
    health = f"http://127.0.0.1:{around.ports[HEALTH]}/ping"
    argv = (
        str(tools.path("traefik")),
        *flags(merge(DEFAULTS, release.values)),
        *(f"--entryPoints.{name}.address=127.0.0.1:{port}" for name, port in sorted(around.ports.items())),
        "--api.dashboard=false",
        "--ping=true",
        "--metrics.prometheus=true",
        f"--metrics.prometheus.entrypoint={METRICS}",
        f"--providers.kubernetesingress.endpoint=https://127.0.0.1:{around.api_server}",
        f"--providers.kubernetesingress.token={around.account / 'token'}",
        f"--providers.kubernetesingress.certAuthFilePath={around.account / 'ca.crt'}",
    )
    return Command(argv, around.pods, health)


def flags(values: Values) -> Iterator[str]:
    """The program's flags that the chart's values decide."""
    for flag, path in _flags().items():
        if (value := value_at(values, path)) not in (None, "", []):
            yield f"--{flag}={_text(value)}"
    if target := value_at(values, f"ports.{WEB}.{REDIRECTED_TO}"):
        yield f"--entryPoints.{WEB}.{REDIRECTED_TO}=:{value_at(values, f'ports.{target}.exposedPort')}"


def _flags() -> Mapping[str, str]:
    of_entry_points = {
        f"entryPoints.{name}.{flag}": f"ports.{name}.{path}"
        for name in (WEB, WEB_TLS)
        for flag, path in OF_ENTRY_POINTS.items()
    }
    return {**FLAGS, **of_entry_points}


def objects(release: Release) -> list[Object]:
    """The account that its pods have, and its class."""
    values = merge(DEFAULTS, release.values)
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {**_metadata(release, ACCOUNT), "namespace": release.namespace},
        "automountServiceAccountToken": False,
    }
    ingress_class = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IngressClass",
        "metadata": _metadata(release, value_at(values, "ingressClass.name") or release.name),
        "spec": {"controller": "traefik.io/ingress-controller"},
    }
    return [account, ingress_class]


def _metadata(release: Release, name: str) -> dict[str, Any]:
    return {"name": name, "labels": release.labels, "annotations": release.annotations}


def _text(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case list():
            return ",".join(value)
        case _:
            return str(value)
