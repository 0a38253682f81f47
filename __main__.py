"""The Pulumi program: settings -> layers -> outputs."""

import pulumi

from components.kubernetes.catalog import CatalogError
from stacks import platform, settings, slices

config = pulumi.Config("moka")
try:
    chosen = settings.load(config.require("environment"))
    piece = slices.slice_named(chosen, config.get("slice") or "")
    platform.deploy(chosen, piece)
except (settings.SettingsError, CatalogError) as error:
    raise pulumi.RunError(str(error)) from None
