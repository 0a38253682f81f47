"""What the layers of one stack share: its slice, its providers, and the stacks that hold the rest."""

import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, NoReturn, get_args

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from moka.catalog import Catalog
from moka.components.kubernetes.registry_login import registry_login
from moka.project import version
from stacks import deployed_version
from stacks.identity_tags import add_identity
from stacks.layers import cluster as cluster_layer
from stacks.sdk_tuning import wait_for_stack
from stacks.settings import Environment
from stacks.site import ClusterSite, Site
from stacks.slices import RESOURCES, Slice, Unit, recorded_units, slices, stack_of_units, unit_read


class Deployment:
    """One stack in the making.

    settings: the whole environment, whatever the slice.
    piece: the slice that this stack deploys.
    catalog: charts and images.
    Raises OlderVersion where a newer version deployed the stack.
    """

    def __init__(self, settings: Environment, piece: Slice, catalog: Catalog) -> None:
        self.settings = settings
        self.piece = piece
        self.catalog = catalog
        self._deployed: dict[Unit, Any] = {}
        self._stacks: dict[str, pulumi.StackReference] = {}
        self._aws: dict[str, aws.Provider] = {}
        self._kubernetes: dict[str, kubernetes.Provider] = {}
        self._top_level_resources: list[str] = []
        pulumi.runtime.register_stack_transformation(self._note_top_level_resource)
        pulumi.runtime.register_stack_transformation(add_identity)
        wait_for_stack()
        deployed = _exported_by(pulumi.get_stack())
        deployed_version.refuse_older(piece.stack, deployed, version(), os.environ)
        self._refuse_units_of_other_stacks(deployed)
        # First, so that an update that fails has it, too.
        pulumi.export(deployed_version.OUTPUT, version())

    def export(self, unit: Unit, outputs: Any) -> None:
        """Export the outputs of a unit that was deployed, with its resources at the top of the stack."""
        self._deployed[unit] = outputs
        values = {field.name: getattr(outputs, field.name) for field in dataclasses.fields(outputs)}
        pulumi.export(str(unit), {**values, RESOURCES: self._top_level_resources})
        self._top_level_resources = []

    def outputs(self, unit: Unit, kind: type[Any]) -> Any:
        """The outputs of a unit.

        A unit of another stack is read from there, when it is first asked for: a stack that nothing reads
        need not exist yet.
        """
        if unit in self._deployed:
            return self._deployed[unit]
        stack = self._stack_of_units[unit]
        if stack not in self._stacks:
            self._stacks[stack] = pulumi.StackReference(_full_name(stack))
        exported = self._stacks[stack].get_output(str(unit)).apply(partial(_exported, stack, unit))
        fields = dataclasses.fields(kind)
        return kind(**{field.name: exported.apply(_reader(stack, unit, field)) for field in fields})

    def site(self, unit: Unit) -> Site:
        """Where a unit is deployed."""
        settings, row = self.settings, unit.row
        foundation = unit.place if row.scope == "foundation" else settings.clusters[unit.place].foundation
        shared: dict[str, Any] = {
            "name": unit.place,
            "settings": settings,
            "foundation": settings.foundations[foundation],
            "catalog": self.catalog,
            "read": partial(self._read, unit),
        }
        if not row.on_cluster:
            return Site(**shared, opts=pulumi.ResourceOptions(provider=self.aws(foundation)))
        cluster = self.outputs(Unit("cluster", unit.place), cluster_layer.Outputs)
        providers = [
            self.aws(foundation),
            self.kubernetes(unit.place, cluster.kubeconfig, cluster.arn),
        ]
        return ClusterSite(**shared, opts=pulumi.ResourceOptions(providers=providers), eks_name=cluster.name)

    def aws(self, foundation: str) -> aws.Provider:
        """The AWS provider of a foundation's account and region; refuses any other account.

        Where the settings say so, it takes a role, by a profile of the AWS configuration (`moka profiles`).
        """
        if foundation not in self._aws:
            place = self.settings.foundations[foundation]
            self._aws[foundation] = aws.Provider(
                # The name is part of the identity of all that is made with it: never rename it.
                foundation,
                region=place.region,
                allowed_account_ids=[place.account],
                profile=self.settings.profile(place),
                default_tags={"tags": self.settings.resource_tags},
            )
        return self._aws[foundation]

    def kubernetes(
        self, cluster: str, kubeconfig: pulumi.Input[str], identifier: pulumi.Input[str]
    ) -> kubernetes.Provider:
        """The Kubernetes provider of a cluster.

        It knows the cluster by `identifier` (its ARN), so that a new kubeconfig replaces nothing.
        """
        if cluster not in self._kubernetes:
            login = self._registry_login(self.settings.clusters[cluster].foundation)
            self._kubernetes[cluster] = kubernetes.Provider(
                cluster,
                kubeconfig=kubeconfig,
                cluster_identifier=identifier,
                enable_server_side_apply=True,
                # A change of a ConfigMap reaches what reads it; another name would not.
                enable_config_map_mutable=True,
                helm_release_settings=(
                    kubernetes.HelmReleaseSettingsArgs(registry_config_path=login) if login else None
                ),
            )
        return self._kubernetes[cluster]

    def _registry_login(self, foundation: str) -> pulumi.Output[str] | None:
        """Where Helm finds its login to a private mirror of charts; None where there is none in ECR."""
        mirror = self.catalog.mirror
        return registry_login(mirror, self.aws(foundation)) if mirror else None

    @cached_property
    def _stack_of_units(self) -> dict[Unit, str]:
        return stack_of_units(slices(self.settings).values())

    def _read(self, unit: Unit, source: str, kind: type[Any]) -> Any:
        """Outputs of a layer that a unit reads; None where it is not there."""
        assert source in unit.row.reads, f"{unit.layer} reads {source}: add it in stacks/layer_table.py"
        read = unit_read(self.settings, unit, source)
        return None if read is None else self.outputs(read, kind)

    def _refuse_units_of_other_stacks(self, deployed: Mapping[str, Any]) -> None:
        """A unit that the settings now give to another stack would be deleted here and created anew there.

        What AWS has once it would refuse there, after other resources were created.
        """
        for unit, stack in self._stack_of_units.items():
            recorded = [str(unit) for unit in recorded_units(self.settings, unit)]
            deployed_names = [name for name in recorded if name in deployed]
            if stack != self.piece.stack and deployed_names:
                self._refuse(self.piece.stack, deployed_names[0], stack)
            if stack == self.piece.stack and unit.row.keeps and not deployed_names:
                for other in set(self._stack_of_units.values()) - {stack}:
                    for name in _exported_by(other).keys() & set(recorded):
                        self._refuse(other, name, stack)

    def _refuse(self, holder: str, name: str, stack: str) -> NoReturn:
        environment = self.settings.environment
        raise pulumi.RunError(
            f"Stack {holder} has {name}, which stacks/{environment}.yaml gives to {stack}: "
            f"run `make move STACK={environment}` first, which brings it there."
        )

    def _note_top_level_resource(self, args: pulumi.ResourceTransformationArgs) -> None:
        if args.opts.parent is None and not args.type_.startswith("pulumi:"):
            self._top_level_resources.append(f"{args.type_}::{args.name}")


def _exported_by(stack: str) -> Mapping[str, Any]:
    """The outputs of a stack since its last update; none of a stack that is not there."""
    try:
        answer = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": _full_name(stack)}).value
    except Exception as error:
        if "unknown stack" not in str(error):
            raise
        return {}
    return (answer or {}).get("outputs") or {}


def _full_name(stack: str) -> str:
    return f"{pulumi.get_organization()}/{pulumi.get_project()}/{stack}"


def _exported(stack: str, unit: Unit, outputs: Any) -> Any:
    """What a unit exported. Until it has, a preview goes on with unknown values, and nothing else goes on."""
    if outputs is None and not pulumi.runtime.is_dry_run():
        raise pulumi.RunError(
            f"Stack {stack} has no {unit} yet, which this one reads: bring {stack} up first."
        )
    return pulumi.UNKNOWN if outputs is None else outputs


def _reader(stack: str, unit: Unit, field: dataclasses.Field[Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Picks a field of what was exported; the engine leaves out what is None.

    What an earlier version did not export is unknown to a preview, and nothing else goes on.
    """
    optional = type(None) in get_args(field.type)

    def value(outputs: Mapping[str, Any]) -> Any:
        if optional or field.name in outputs:
            return outputs.get(field.name)
        if pulumi.runtime.is_dry_run():
            return pulumi.UNKNOWN
        raise pulumi.RunError(
            f"Stack {stack} has no {field.name} of {unit} yet, as an earlier version deployed it: bring "
            f"{stack} up first."
        )

    return value
