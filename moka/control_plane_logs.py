"""Logs of EKS control planes: their types, and how CloudWatch Logs can keep them."""

from collections.abc import Mapping
from typing import Literal, get_args

LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]

LOG_TYPES: tuple[LogType, ...] = get_args(LogType)
"""All that a control plane writes."""

LogDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]
"""Days that CloudWatch Logs can keep a log for (API PutRetentionPolicy)."""

LogClass = Literal["standard", "infrequent-access"]

LOG_CLASSES: Mapping[LogClass, str | None] = {"standard": None, "infrequent-access": "INFREQUENT_ACCESS"}
"""Class of a log group -> as CloudWatch Logs names it; its default is left out, and leaves a group that is
there as it is: the class cannot be changed (API CreateLogGroup)."""
