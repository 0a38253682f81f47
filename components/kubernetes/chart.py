"""A Helm release of a chart of the catalog."""

from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog, Values
from moka.components.ordering import known_after
from moka.sizes.daemon_sets import UPDATE_STRATEGIES, strategy_seconds
from moka.sizes.rollouts import LEAST_SECONDS


@dataclass(frozen=True, kw_only=True)
class ChartArgs:
    """What differs between releases.

    catalog: versions, values and mirror.
    chart: name of the chart in the catalog.
    namespace: it must exist.
    release: name of the release, by default the chart's; a change replaces the release.
    values: what only the program knows, over the file's values.
    values_file: name of its file of values, by default the release's: several releases may share one.
    crds: whether to make the custom resources that the chart brings along.
    seconds: for all pods of its Deployments to be ready; of a DaemonSet's it follows from its strategy.
    """

    catalog: Catalog
    chart: str
    namespace: pulumi.Input[str]
    release: str | None = None
    values: Values = field(default_factory=dict)
    values_file: str | None = None
    crds: bool = True
    seconds: int = LEAST_SECONDS


class Chart(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Chart`.

    Makes: helm.v3.Release. It is all or nothing: what fails is rolled back, and no release stays pending.
    Outputs: `name` of the release and `namespace`, known only once all of it is ready; `status`, as Helm
    has it.
    """

    name: pulumi.Output[str]
    namespace: pulumi.Output[str]
    status: pulumi.Output[k8s.helm.v3.outputs.ReleaseStatus]

    def __init__(self, name: str, args: ChartArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Chart", name, {}, opts)

        source = args.catalog.source(args.chart)
        release_name = args.release or args.chart
        values = args.catalog.release_values(args.values_file or release_name, args.chart, args.values)
        strategy = UPDATE_STRATEGIES.get(release_name)
        release = k8s.helm.v3.Release(
            name,
            k8s.helm.v3.ReleaseArgs(
                name=release_name,
                chart=source.chart,
                version=source.version,
                repository_opts=(
                    k8s.helm.v3.RepositoryOptsArgs(repo=source.repository) if source.repository else None
                ),
                namespace=args.namespace,
                values=values,
                atomic=True,
                cleanup_on_fail=True,
                skip_crds=not args.crds,
                max_history=5,
                # As long as a DaemonSet needs to come to every node.
                timeout=strategy_seconds(values.get(strategy)) if strategy else args.seconds,
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )

        self.namespace = known_after(args.namespace, release.status)
        self.name = known_after(release_name, self.namespace)
        self.status = release.status
        self.register_outputs({"name": self.name, "namespace": self.namespace, "status": self.status})
