"""YuniKorn's scheduler, as its chart would run it."""

from collections.abc import Mapping

from localcloud import tools
from localcloud.control_plane.api import Object
from localcloud.control_plane.stand_ins.processes import Command, Surroundings
from localcloud.control_plane.stand_ins.releases import Release, as_printed, merged

REST = "rest"

# Of the chart's defaults, those that reach the scheduler.
DEFAULTS = {"goMemoryLimit": "1536MiB", "goGC": 100, "yunikornDefaults": {}}


def command(release: Release, around: Surroundings) -> Command:
    """The scheduler; it follows its configuration in the cluster by itself."""
    values = merged(DEFAULTS, release.values)
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
    """The defaults that the chart hands to the scheduler."""
    defaults: Mapping[str, object] = merged(DEFAULTS, release.values).get("yunikornDefaults") or {}
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
            "data": {key: as_printed(value) for key, value in defaults.items()},
        }
    ]
