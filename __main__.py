"""The Pulumi program: settings -> layers -> outputs."""

import gc

# Looking for garbage among some million objects that stay takes a fifth of a preview; what it would find, at
# twenty clusters, is a tenth of this program's memory.
gc.disable()

import pulumi

from moka.catalog import CatalogError
from stacks import program, sdk_tuning, settings, slices

sdk_tuning.silence_debug_messages()

config = pulumi.Config("moka")
try:
    environment = settings.load(config.require("environment"))
    program.deploy(environment, slices.slice_named(environment, config.get("slice") or ""))
except (settings.InvalidDocument, CatalogError) as error:
    raise pulumi.RunError(str(error)) from None
