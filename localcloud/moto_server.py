"""moto's server as the laptop cloud runs it, with the arguments of `moto.server`."""

from typing import Any

from moto.iam.access_control import PermissionResult
from moto.s3.models import FakeBucket
from moto.server import main


def _permission(bucket: FakeBucket, action: str, resource: str) -> Any:
    """moto leaves the conditions of a bucket's policy out (5.2: iam/access_control.py): a policy that denies
    requests without TLS would deny all requests for objects. So, as everywhere here, every call is allowed.
    """
    return PermissionResult.NEUTRAL


if __name__ == "__main__":
    FakeBucket.get_permission = _permission  # type: ignore[assignment,method-assign]
    main()
