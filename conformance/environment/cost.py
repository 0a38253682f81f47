"""What an environment costs while it is up, by the same prices as `moka report`."""

import subprocess
from collections.abc import Sequence

from previews import read
from report.cost.charges import HOURS
from report.subjects.cost import monthly


class NotKnown(Exception):
    """Why it cannot be told: one sentence."""


def hourly(command: Sequence[str], stacks: Sequence[str]) -> float:
    """Dollars an hour of what an `up` of the stacks would create, as it starts. Raises NotKnown.

    command: what runs pulumi, as in the walk. Usage, such as what is stored, is not counted.
    """
    total = 0.0
    for stack in stacks:
        words = [word.replace("{verb}", "preview").replace("{stack}", stack) for word in command]
        done = subprocess.run([*words, "--json", "--non-interactive"], capture_output=True, text=True)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise NotKnown(f"the preview of {stack} fails: {lines[-1] if lines else 'without output'}")
        total += monthly(read(done.stdout, f"The preview of {stack}")).usual
    return total / HOURS
