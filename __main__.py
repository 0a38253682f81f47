"""The Pulumi program: settings -> layers -> outputs."""

import gc

# Looking for garbage among some million objects that stay takes a fifth of a preview; what it would find, at
# twenty clusters, is a tenth of this program's memory.
gc.disable()

import pulumi

from components.kubernetes.catalog import CatalogError
from stacks import pace, platform, settings, slices

pace.quiet()

config = pulumi.Config("moka")
try:
    chosen = settings.load(config.require("environment"))
    piece = slices.slice_named(chosen, config.get("slice") or "")
    platform.deploy(chosen, piece)
except (settings.SettingsError, CatalogError) as error:
    raise pulumi.RunError(str(error)) from None
