"""Logs of EKS control planes: their types, and how long CloudWatch Logs can keep them."""

from typing import Literal, get_args

LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]

LOG_TYPES: tuple[LogType, ...] = get_args(LogType)
"""All that a control plane writes."""

LogDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]
"""Days that CloudWatch Logs can keep a log for (API PutRetentionPolicy)."""
