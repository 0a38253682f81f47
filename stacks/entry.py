"""Where a Pulumi program begins: the settings of its stack's environment are deployed."""

import os

import pulumi

from moka.as_of import InvalidDay, as_of
from moka.catalog import CatalogError
from stacks import program, sdk_tuning, settings, slices
from stacks.deployed_version import OlderVersion
from stacks.settings.deprecations import deprecated


def deploy() -> None:
    """Deploy what the configuration of the stack at hand names: `moka:environment`, and `moka:slice` of it.

    Raises pulumi.RunError, with one sentence a mistake, where its settings cannot be deployed.
    """
    sdk_tuning.silence_debug_messages()
    sdk_tuning.end_without_traceback()
    sdk_tuning.shorten_stack_traces(__file__)

    config = pulumi.Config("moka")
    try:
        environment = settings.load(config.require("environment"))
        for sentence in deprecated(environment, as_of(os.environ)):
            pulumi.log.warn(sentence)
        program.deploy(environment, slices.slice_named(environment, config.get("slice") or ""))
    except (settings.InvalidDocument, CatalogError, InvalidDay, OlderVersion) as error:
        raise pulumi.RunError(str(error)) from None
