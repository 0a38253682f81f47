"""YuniKorn's scheduler, as its chart would run it."""

from collections.abc import Mapping

from localcloud import tools
from localcloud.control_plane.api import Object
from localcloud.control_plane.stand_ins.processes import Command, Surroundings
from localcloud.control_plane.stand_ins.releases import Release, format_scalar, merge

REST = "rest"

SERVICES = {("yunikorn-service", 9080): REST}
"""Name of the chart's Service and its port -> what is served there. The other one is its web page's."""

# The chart's defaults that reach the scheduler.
DEFAULTS = {"goMemoryLimit": "1536MiB", "goGC": 100, "yunikornDefaults": {}}


def command(release: Release, around: Surroundings) -> Command:
    """The scheduler; it watches its configuration in the cluster by itself."""
    values = merge(DEFAULTS, release.values)
    return Command(
        (str(tools.path("yunikorn")),),
        {
            "KUBECONFIG": str(around.kubeconfig),
            "NAMESPACE": release.namespace,
            "YUNIKORN_REST_ADDRESS": f"127.0.0.1:{around.ports[REST]}",
            "GOMEMLIMIT": str(values.get("goMemoryLimit", "")),
            "GOGC": str(values.get("goGC", "")),
        },
        f"http://127.0.0.1:{around.ports[REST]}/ws/v1/clusters",
    )


def objects(release: Release) -> list[Object]:
    """The defaults that the chart gives to the scheduler."""
    defaults: Mapping[str, object] = merge(DEFAULTS, release.values).get("yunikornDefaults") or {}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "yunikorn-defaults",
                "namespace": release.namespace,
                "labels": release.labels,
                "annotations": release.annotations,
            },
            "data": {key: format_scalar(value) for key, value in defaults.items()},
        }
    ]
