"""The Pulumi program: settings -> layers -> outputs."""

import gc

# Looking for garbage among some million objects that stay takes a fifth of a preview; what it would find, at
# twenty clusters, is a tenth of this program's memory.
gc.disable()

import pulumi

from moka.catalog import CatalogError
from stacks import program, sdk_tuning, settings, slices

sdk_tuning.quiet()

config = pulumi.Config("moka")
try:
    chosen = settings.load(config.require("environment"))
    piece = slices.slice_named(chosen, config.get("slice") or "")
    program.deploy(chosen, piece)
except (settings.InvalidDocument, CatalogError) as error:
    raise pulumi.RunError(str(error)) from None
