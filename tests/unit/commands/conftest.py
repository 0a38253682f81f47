from tests.unit.moka.jobs.conftest import job, target

__all__ = ["job", "target"]
