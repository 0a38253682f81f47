"""Layers of an environment, a module each, with a row in `stacks/layer_table.py`.

A module has a dataclass `Inputs` (plain data, sections of the settings, outputs of what the layer reads), a
dataclass `Outputs` (plain values or `pulumi.Output`s), and two functions: `inputs(site)` is the only one that
looks into the environment's settings and other layers' outputs; `deploy(site, inputs)` makes the resources.
"""
