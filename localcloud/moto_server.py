"""moto's server as the laptop cloud runs it, with the arguments of `moto.server`."""

from typing import Any

from moto.iam.access_control import PermissionResult
from moto.s3.models import FakeBucket, FakeDeleteMarker
from moto.server import main


def _permission(bucket: FakeBucket, action: str, resource: str) -> Any:
    """moto leaves the conditions of a bucket's policy out (5.2: iam/access_control.py): a policy that denies
    requests without TLS would deny all requests for objects. So, as everywhere here, every call is allowed.
    """
    return PermissionResult.NEUTRAL


def _dispose(marker: FakeDeleteMarker) -> None:
    """A marker has nothing to dispose of, and moto asks it to once versioning is off (5.2: s3/utils.py)."""


if __name__ == "__main__":
    FakeDeleteMarker.dispose = _dispose  # type: ignore[attr-defined]
    FakeBucket.get_permission = _permission  # type: ignore[assignment,method-assign]
    main()
