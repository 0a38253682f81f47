"""The settings of an environment: what `stacks/<environment>.yaml` may say, read and checked.

Everything is checked before the first resource is registered, and every mistake is told at once.
"""

from stacks.settings.environment import Environment
from stacks.settings.environment import Slice as SliceSettings
from stacks.settings.reading import load, parse, path_of
from stacks.settings.section import LayerName, SettingsError

__all__ = ["Environment", "LayerName", "SettingsError", "SliceSettings", "load", "parse", "path_of"]
