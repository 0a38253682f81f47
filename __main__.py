"""The Pulumi program: settings -> layers -> outputs."""

import gc

# The SDKs are some hundred thousand objects that stay: looking through them again and again while they
# load, and while resources are registered, finds nothing and takes a fifth of a preview.
gc.set_threshold(200_000, 20, 100)

import pulumi

from components.kubernetes.catalog import CatalogError
from stacks import pace, platform, settings, slices

pace.quiet()

config = pulumi.Config("moka")
try:
    chosen = settings.load(config.require("environment"))
    piece = slices.slice_named(chosen, config.get("slice") or "")
    platform.deploy(chosen, piece)
    pace.let_go()
except (settings.SettingsError, CatalogError) as error:
    raise pulumi.RunError(str(error)) from None
