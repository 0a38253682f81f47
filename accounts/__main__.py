"""The Pulumi program of the accounts; `moka bootstrap` runs it."""

import sys
from pathlib import Path

# The engine runs it from its own folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pulumi

from accounts import program
from stacks import sdk_tuning, settings

sdk_tuning.silence_debug_messages()
sdk_tuning.end_without_traceback()

config = pulumi.Config()
try:
    environment = settings.load(config.require("environment"))
except settings.InvalidDocument as error:
    raise pulumi.RunError(str(error)) from None
program.deploy(
    environment,
    program.Options(
        role=config.require("role"),
        access=config.require_bool("access"),
        keep=config.require_bool("keep"),
        existing_providers=tuple(config.require_object("existingProviders")),
        shared_providers=tuple(config.require_object("sharedProviders")),
    ),
)
