"""`python -m services.usage_recorder`: records what the scheduler of a cluster gave out."""

import argparse
import asyncio
import gc

from services.common import arguments, logs
from services.common.health import health_server
from services.common.kubernetes import Api
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.usage_recorder.bucket import Bucket, client
from services.usage_recorder.machines import Machines
from services.usage_recorder.recorder import Recorder
from services.usage_recorder.scheduler import Scheduler
from services.usage_recorder.sources import Sources
from services.usage_recorder.summary_objects import SummaryObjects

SERVICE = "usage_recorder"

COLLECTED = (200_000, 20, 100)
"""After so many objects Python looks for circles among them, of which there are none. An answer has some
50,000: by default it looks again and again while one is read, which took more than half of all time."""


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser(SERVICE, __doc__)
    parser.add_argument("--cluster", required=True, help="name of the cluster in the settings")
    parser.add_argument("--eks-cluster", required=True, help="its name in EKS, by which Fluent Bit writes")
    parser.add_argument("--scheduler", required=True, help="URL of YuniKorn's REST API")
    parser.add_argument("--bucket", required=True, help="bucket of what was used")
    parser.add_argument("--region", required=True, help="its region")
    options = parser.parse_args()
    logs.configure()
    gc.set_threshold(*COLLECTED)
    asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    metrics = Metrics(SERVICE)
    bucket = Bucket(client(options.region), options.bucket)
    async with Api(options.service_account) as api, Scheduler(options.scheduler) as scheduler:
        sources = Sources(
            cluster=options.cluster,
            eks_cluster=options.eks_cluster,
            bucket=bucket,
            scheduler=scheduler,
            machines=Machines(api),
            summaries=SummaryObjects(bucket, options.eks_cluster, options.cluster),
        )
        recorder = Recorder(sources, metrics)
        async with health_server(options.listen, recorder.problem, metrics):
            try:
                await run_until_signal(recorder.run())
            finally:
                await recorder.finish()


if __name__ == "__main__":
    main()
