"""What the layers of one stack share: its slice, its providers, and the stacks that hold the rest."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, TypeVar, get_args

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from moka.catalog import Catalog
from stacks.settings import Environment, LayerName
from stacks.slices import RESOURCES, Slice, Unit, slices

Outputs = TypeVar("Outputs")
"""Outputs of a layer: a flat dataclass of plain values or `pulumi.Output`s."""


class Deployment:
    """One stack in the making.

    settings: the whole environment, whatever the slice.
    piece: the slice that this stack deploys.
    catalog: charts and images.
    """

    def __init__(self, settings: Environment, piece: Slice, catalog: Catalog) -> None:
        self.settings = settings
        self.piece = piece
        self.catalog = catalog
        self._stacks: dict[str, pulumi.StackReference] = {}
        self._aws: dict[str, aws.Provider] = {}
        self._kubernetes: dict[str, kubernetes.Provider] = {}
        self._at_the_top: list[str] = []
        pulumi.runtime.register_stack_transformation(self._note)
        self._refuse_what_is_to_move()

    def layer(
        self, layer: LayerName, place: str, kind: type[Outputs], deploy: Callable[[], Outputs]
    ) -> Callable[[], Outputs]:
        """A way to the outputs of a unit.

        When the slice holds the unit, it is deployed and exported at once. Otherwise its outputs are
        read from the stack that holds it, on first use: a stack that nobody asks need not exist yet.
        """
        unit = Unit(layer, place)
        if unit in self.piece.units:
            made = deploy()
            outputs = {f.name: getattr(made, f.name) for f in _fields(kind)}
            pulumi.export(str(unit), {**outputs, RESOURCES: self._at_the_top})
            self._at_the_top = []
            return lambda: made
        return lambda: self._read(unit, kind)

    def aws(self, foundation: str) -> aws.Provider:
        """The AWS provider of a foundation's account and region; refuses any other account.

        Where the settings say so, it takes the deployer role with the credentials at hand.
        """
        if foundation not in self._aws:
            place = self.settings.foundations[foundation]
            self._aws[foundation] = aws.Provider(
                # The name is part of the identity of all that is made with it: never rename it.
                foundation,
                region=place.region,
                allowed_account_ids=[place.account],
                assume_roles=(
                    # As a plain mapping its names would reach the provider as they are spelt here.
                    [aws.ProviderAssumeRoleArgs(role_arn=place.deployer, session_name=self.settings.prefix)]
                    if place.assume
                    else None
                ),
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
            self._kubernetes[cluster] = kubernetes.Provider(
                cluster,
                kubeconfig=kubeconfig,
                cluster_identifier=identifier,
                enable_server_side_apply=True,
                # A change of a ConfigMap reaches what reads it; another name would not.
                enable_config_map_mutable=True,
            )
        return self._kubernetes[cluster]

    @cached_property
    def _holders(self) -> dict[Unit, str]:
        return {unit: piece.stack for piece in slices(self.settings).values() for unit in piece.units}

    def _read(self, unit: Unit, kind: type[Outputs]) -> Outputs:
        stack = self._holders[unit]
        if stack not in self._stacks:
            self._stacks[stack] = pulumi.StackReference(_full_name(stack))
        exported = self._stacks[stack].get_output(str(unit)).apply(partial(_there, stack, unit))
        return kind(**{f.name: exported.apply(_exported(f)) for f in _fields(kind)})

    def _refuse_what_is_to_move(self) -> None:
        """A unit that the settings give to another stack now would be deleted here, and made anew there."""
        read = {"name": _full_name(pulumi.get_stack())}
        before = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", read).value or {}
        for unit, stack in self._holders.items():
            if stack != self.piece.stack and str(unit) in (before.get("outputs") or {}):
                environment = self.settings.environment
                raise pulumi.RunError(
                    f"Stack {self.piece.stack} has {unit}, which stacks/{environment}.yaml gives to {stack}: "
                    f"`make move STACK={environment}` brings it there, before anything else is done."
                )

    def _note(self, args: pulumi.ResourceTransformationArgs) -> None:
        if args.opts.parent is None and not args.type_.startswith("pulumi:"):
            self._at_the_top.append(f"{args.type_}::{args.name}")


def _full_name(stack: str) -> str:
    return f"{pulumi.get_organization()}/{pulumi.get_project()}/{stack}"


def _there(stack: str, unit: Unit, outputs: Any) -> Any:
    """What a unit exported. Before it is there, a preview goes on without knowing, and nothing else does."""
    if outputs is None and not pulumi.runtime.is_dry_run():
        raise pulumi.RunError(
            f"Stack {stack} has no {unit} yet, which this one reads: bring {stack} up first."
        )
    return pulumi.UNKNOWN if outputs is None else outputs


def _fields(kind: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _exported(field: dataclasses.Field[Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Finds a field in what was exported; the engine leaves out what is None."""
    optional = type(None) in get_args(field.type)
    return (lambda outputs: outputs.get(field.name)) if optional else itemgetter(field.name)
