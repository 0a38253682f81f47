"""`python -m commands.doctor <environment>`: whether the environment can be, asked of its accounts.

Exit status: 0 no problem, 1 problems, 2 nothing could be asked (settings or credentials).
"""

import argparse
import sys
from dataclasses import replace

from doctor import report
from doctor.account import SessionClients
from doctor.asking import examine
from doctor.checks import CHECKS
from doctor.credentials import CannotAsk, enter, session
from doctor.finding import not_checked
from stacks.settings import InvalidDocument, load

CREDENTIALS = "credentials"


def main(arguments: list[str] | None = None) -> int:
    """Ask what the command line says; exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m commands.doctor", description="Asks the accounts of an environment whether it can be."
    )
    parser.add_argument("environment", help="name of a settings file in stacks/, for example prod")
    parser.add_argument("--json", action="store_true", help="for scripts")
    parser.add_argument("--only", choices=[CREDENTIALS, *CHECKS], help="one subject alone")
    asked = parser.parse_args(arguments)
    try:
        settings = load(asked.environment)
        places, credentials = enter(settings, SessionClients(session()))
    except (InvalidDocument, CannotAsk) as error:
        if asked.json:
            print(report.as_json(asked.environment, [], str(error)))
        print(error, file=sys.stderr)
        return 2
    entered = {place.name for place in places}
    findings = [replace(finding, check=CREDENTIALS) for finding in credentials]
    if asked.only != CREDENTIALS:
        findings += examine(places, asked.only, _progress)
        findings += [
            not_checked(name, "Everything else about it: see the credentials.")
            for name in settings.foundations
            if name not in entered
        ]
    print(
        report.as_json(asked.environment, findings)
        if asked.json
        else report.text(asked.environment, findings)
    )
    return 1 if any(finding.status == "problem" for finding in findings) else 0


def _progress(done: int, all_of_them: int) -> None:
    if sys.stderr.isatty():
        end = "\r" if done < all_of_them else "\r\033[K"
        print(f"Asked {done} of {all_of_them} questions", end=end, file=sys.stderr, flush=True)
    elif done == 1:
        print(f"Asking AWS {all_of_them} questions ...", file=sys.stderr)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
