"""An Ingress that leads hosts to a service of ours."""

from collections.abc import Iterable

import pulumi
import pulumi_kubernetes as k8s


def service_ingress(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    ingress_class: pulumi.Input[str],
    hosts: Iterable[str],
    opts: pulumi.ResourceOptions,
) -> k8s.networking.v1.Ingress:
    """An Ingress of a service, whose controller looks into the service's namespace.

    name: logical name. metadata: of the service, and of the Ingress.
    """
    return k8s.networking.v1.Ingress(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=metadata.name,
            namespace=metadata.namespace,
            labels=metadata.labels,
            # Its address is the ingress controller's business.
            annotations={"pulumi.com/skipAwait": "true"},
        ),
        spec=k8s.networking.v1.IngressSpecArgs(
            ingress_class_name=ingress_class, rules=[_rule(host, str(metadata.name)) for host in hosts]
        ),
        opts=opts,
    )


def _rule(host: str, service: str) -> k8s.networking.v1.IngressRuleArgs:
    backend = k8s.networking.v1.IngressServiceBackendArgs(
        name=service, port=k8s.networking.v1.ServiceBackendPortArgs(name="http")
    )
    path = k8s.networking.v1.HTTPIngressPathArgs(
        path="/", path_type="Prefix", backend=k8s.networking.v1.IngressBackendArgs(service=backend)
    )
    return k8s.networking.v1.IngressRuleArgs(
        host=host, http=k8s.networking.v1.HTTPIngressRuleValueArgs(paths=[path])
    )
