"""EC2 as boto3's client answers it: moto's answers, and what moto drops of an endpoint, kept in files."""

from typing import Any

from localcloud.plugins.aws.services.base import Members, Service


class Ec2(Service):
    """A client of EC2 in one region."""

    def modify_vpc_endpoint(self, **members: Any) -> Members:
        """Change an endpoint; moto leaves its private names as they were."""
        answer: Members = self.client.modify_vpc_endpoint(**members)
        if "PrivateDnsEnabled" in members:
            private = {"PrivateDnsEnabled": members["PrivateDnsEnabled"]}
            self.store.put("vpc-endpoint", members["VpcEndpointId"], thing=private)
        return answer

    def describe_vpc_endpoints(self, **members: Any) -> Members:
        """Endpoints."""
        answer: Members = self.client.describe_vpc_endpoints(**members)
        endpoints = [
            {**endpoint, **(self.store.get("vpc-endpoint", endpoint["VpcEndpointId"]) or {})}
            for endpoint in answer["VpcEndpoints"]
        ]
        return {**answer, "VpcEndpoints": endpoints}

    def delete_vpc_endpoints(self, VpcEndpointIds: list[str]) -> Members:
        """Delete endpoints."""
        answer: Members = self.client.delete_vpc_endpoints(VpcEndpointIds=VpcEndpointIds)
        for endpoint in VpcEndpointIds:
            self.store.remove("vpc-endpoint", endpoint)
        return answer
