"""docs/layers.md: the table of layers, for people."""

from stacks.layer_table import LAYERS, Layer

HEAD = """# Layers

A layer is a part of an environment that is deployed and understood as one: a row of `stacks/layer_table.py`
and a module in `stacks/layers/`. It is given outputs of the layers that it reads: those of its cluster, of
the foundation below that, and of the foundation at `home`, which has event logs and resource usage of the
whole environment. This page is made by `make schema`.

| layer | one for each | reads | makes |
| --- | --- | --- | --- |"""

ONE_FOR_EACH = {
    "foundation": "account and region",
    "cluster": "cluster",
    "environment": "environment, on its home cluster",
}


def page() -> str:
    """The page: a row a layer, each after those that it reads."""
    rows = [
        f"| {layer.name} | {ONE_FOR_EACH[layer.scope]} | {', '.join(layer.reads) or '-'} | {_makes(layer)} |"
        for layer in LAYERS.values()
    ]
    return "\n".join([HEAD, *rows, ""])


def _makes(layer: Layer) -> str:
    owner = "environment" if layer.scope == "environment" else "cluster"
    condition = f"; only where the {owner}'s settings have `{layer.when}`" if layer.when else ""
    return f"{layer.makes}{condition}"
