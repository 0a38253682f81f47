"""The policy pack: assembled here, the rules are in the modules beside it, one a subject."""

import sys
from pathlib import Path

# The engine runs the pack from its own folder; rules share the domain with the program.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from policies.start import start

# Answers the engine and does not return: everything else belongs into the modules.
start()
