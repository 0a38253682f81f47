"""The Pulumi program: settings -> layers -> outputs."""

import pulumi

from stacks import platform, settings, slices

config = pulumi.Config("moka")
try:
    chosen = settings.load(config.require("environment"))
    piece = slices.slice_named(chosen, config.get("slice") or "")
except settings.SettingsError as error:
    raise pulumi.RunError(str(error)) from None

platform.deploy(chosen, piece)
