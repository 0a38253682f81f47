import dataclasses

import pulumi

from moka import catalog
from stacks import settings, slices
from stacks.deployment import Deployment
from stacks.layers.foundation import Outputs

LOCAL = settings.path_of("local").read_text()
SLICES = "slices:\n  shared: {layers: [foundation]}\n  spark-a: {clusters: [spark-a]}"


def test_what_another_stack_has_not_is_read_as_nothing(deploy, monkeypatch):
    environment = settings.parse(f"{LOCAL}\n{SLICES}", "stacks/local.yaml")
    # As the engine keeps it: without what is None.
    exported = {field.name: field.name for field in dataclasses.fields(Outputs) if field.name != "registry"}
    monkeypatch.setattr(
        pulumi.StackReference, "get_output", lambda _, name: pulumi.Output.from_input(exported)
    )
    outputs = []

    def program():
        piece = slices.slice_named(environment, "spark-a")
        deployment = Deployment(environment, piece, catalog.read())
        read = deployment.outputs(slices.Unit("foundation", "main"), Outputs)
        pulumi.Output.all(read.registry, read.vpc_id).apply(outputs.append)

    deploy(program)

    assert outputs == [[None, "vpc_id"]]
