"""`python -m services.archer`: `keeper`, `service` or `worker`, by the configuration of a file."""

import argparse
from pathlib import Path

import uvloop

from moka.submission.configuration import Configuration
from services.archer.keeper import program as keeper
from services.archer.service import program as service
from services.archer.worker import program as worker
from services.common import arguments, logs

FILE = "/etc/archer/archer.json"

PROGRAMS = {"keeper": keeper.run, "service": service.run, "worker": worker.run}


def main() -> None:
    """Run a program until a signal ends it."""
    parser = arguments.parser("archer", __doc__)
    parser.add_argument("program", choices=list(PROGRAMS))
    parser.add_argument("--configuration", type=_configuration, default=FILE, metavar="FILE")
    options = parser.parse_args()
    logs.configure()
    uvloop.run(PROGRAMS[options.program](options.configuration, options.listen, options.service_account))


def _configuration(file: str) -> Configuration:
    try:
        return Configuration.model_validate_json(Path(file).read_text())
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read: {error}") from None


if __name__ == "__main__":
    main()
