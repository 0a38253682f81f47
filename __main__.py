"""The Pulumi program: settings -> layers -> outputs."""

import gc

# Looking for garbage among some million objects that stay takes a fifth of a preview; what it would find, at
# twenty clusters, is a tenth of this program's memory.
gc.disable()

import os

import pulumi

from moka.as_of import InvalidDay, as_of
from moka.catalog import CatalogError
from stacks import program, sdk_tuning, settings, slices
from stacks.settings.deprecations import deprecated

sdk_tuning.silence_debug_messages()
sdk_tuning.end_without_traceback()

config = pulumi.Config("moka")
try:
    environment = settings.load(config.require("environment"))
    for sentence in deprecated(environment, as_of(os.environ)):
        pulumi.log.warn(sentence)
    program.deploy(environment, slices.slice_named(environment, config.get("slice") or ""))
except (settings.InvalidDocument, CatalogError, InvalidDay) as error:
    raise pulumi.RunError(str(error)) from None
