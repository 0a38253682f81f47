"""The settings of an environment, `stacks/<environment>.yaml`, read and checked.

Everything is checked before the first resource is registered, and all mistakes are reported at once.
"""

from moka.mistakes import InvalidDocument
from stacks.settings.environment import Environment
from stacks.settings.environment import Slice as SliceSettings
from stacks.settings.reading import SETTINGS, load, parse, path_of

__all__ = [
    "SETTINGS",
    "Environment",
    "InvalidDocument",
    "SliceSettings",
    "load",
    "parse",
    "path_of",
]
