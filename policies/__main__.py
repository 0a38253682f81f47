"""The policy pack: assembled here, the rules are in the modules beside it, one a subject."""

import gc
import sys
from pathlib import Path

# Half a minute's life at most, and few circles among what it holds: looking for them is 7% of what it costs.
gc.disable()

# The engine runs the pack from its own folder; rules share the domain with the program.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from policies.start import start

# Answers the engine and does not return: everything else belongs into the modules.
start(Path(__file__).resolve().parent)
