"""CloudWatch Logs as boto3's client answers it: moto's, and what moto forgets of a group, kept in files."""

from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service


class Logs(Service):
    """A client of CloudWatch Logs in one region."""

    def create_log_group(self, **members: Any) -> Members:
        """Make a group."""
        answer: Members = self.client.create_log_group(
            **{name: value for name, value in members.items() if name != "deletionProtectionEnabled"}
        )
        name = members["logGroupName"]
        self.kept.remove("log-group", name)
        if "deletionProtectionEnabled" in members:
            self._keep(name, deletionProtectionEnabled=members["deletionProtectionEnabled"])
        return answer

    def describe_log_groups(self, **members: Any) -> Members:
        """Groups, a page of them."""
        answer: Members = self.client.describe_log_groups(**members)
        return {**answer, "logGroups": [self._with_kept(each) for each in answer["logGroups"]]}

    def associate_kms_key(self, logGroupName: str, kmsKeyId: str) -> Members:
        """Encrypt a group with another key from now on."""
        return self._keep(logGroupName, kmsKeyId=kmsKeyId)

    def disassociate_kms_key(self, logGroupName: str) -> Members:
        """Encrypt a group with AWS's own key from now on."""
        return self._keep(logGroupName, kmsKeyId=None)

    def put_log_group_deletion_protection(
        self, logGroupIdentifier: str, deletionProtectionEnabled: bool
    ) -> Members:
        """Protect a group from deletion, or no longer."""
        return self._keep(logGroupIdentifier, deletionProtectionEnabled=deletionProtectionEnabled)

    def delete_log_group(self, logGroupName: str) -> Members:
        """Delete a group."""
        if (self.kept.get("log-group", logGroupName) or {}).get("deletionProtectionEnabled"):
            self.refuse(
                "ValidationException",
                f"Log group {logGroupName} has deletion protection enabled",
                "DeleteLogGroup",
            )
        answer: Members = self.client.delete_log_group(logGroupName=logGroupName)
        self.kept.remove("log-group", logGroupName)
        return answer

    def _keep(self, group: str, **members: Any) -> Members:
        self.kept.put("log-group", group, thing={**(self.kept.get("log-group", group) or {}), **members})
        return {}

    def _with_kept(self, group: Mapping[str, Any]) -> Members:
        both = {**group, **(self.kept.get("log-group", group["logGroupName"]) or {})}
        return {name: value for name, value in both.items() if value is not None}
