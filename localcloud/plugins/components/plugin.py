"""A plugin of components, and how it is started."""

import gc
import sys
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.provider import CallResult, ConstructResult, Provider

from localcloud.errors import Refusal
from localcloud.plugins.components.component import Component
from localcloud.plugins.components.serving import serve


class ComponentPlugin(Provider):
    """Makes the components of a package.

    components: by their types. methods: what to do instead of calling one.
    """

    def __init__(self, version: str, components: Mapping[str, type[Component]], methods: str) -> None:
        super().__init__(version)
        self._components, self._methods = components, methods

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Make one component. Raises Refusal when the laptop cloud does not serve it, or an argument."""
        component = self._components.get(resource_type)
        if component is None:
            types = ", ".join(sorted(self._components))
            raise Refusal(f"The laptop cloud does not serve {resource_type} ({name}): it serves {types}.")
        arguments = {key: value for key, value in inputs.items() if value is not None}
        resource = component(name, arguments, options)
        return ConstructResult(resource.urn, resource.outputs)

    def call(self, token: str, args: pulumi.Inputs) -> CallResult:
        """Refuse every method."""
        raise Refusal(f"The laptop cloud does not serve {token}: {self._methods}.")

    def invoke(self, token: str, args: Any) -> Any:
        """Refuse every function."""
        raise Refusal(f"The laptop cloud does not serve {token}: {self._methods}.")


def run(plugin: Provider) -> None:
    """Serve the engine whose address is on the command line."""
    # What the SDKs load stays, and this process ends with the engine: there is no garbage worth collecting.
    gc.disable()
    engine = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    serve(plugin, engine)
