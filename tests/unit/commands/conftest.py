from tests.unit.moka.jobs.conftest import job, platform

__all__ = ["job", "platform"]
