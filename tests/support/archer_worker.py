"""`python -m tests.support.archer_worker`: Archer's worker, that enters clusters as a service account.

Beside its arguments it heeds LEASE_SECONDS: seconds that a claim holds, in place of a minute.
"""

import os
from datetime import timedelta
from pathlib import Path

import uvloop

from moka.submission.configuration import Configuration
from services.archer.database import claims
from services.archer.worker import program, submitter
from services.common import arguments, logs

LEASE_SECONDS = "ARCHER_LEASE_SECONDS"


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser("archer", __doc__)
    parser.add_argument("program", choices=["worker"])
    parser.add_argument("--configuration", type=Path, required=True)
    options = parser.parse_args()
    if LEASE_SECONDS in os.environ:
        seconds = float(os.environ[LEASE_SECONDS])
        claims.LEASE = timedelta(seconds=seconds)
        submitter.CREATE_SECONDS = seconds / 3
    configuration = Configuration.model_validate_json(options.configuration.read_text())
    logs.configure()
    account = options.service_account
    uvloop.run(program.work(configuration, options.listen, dict.fromkeys(configuration.clusters, account)))


if __name__ == "__main__":
    main()
