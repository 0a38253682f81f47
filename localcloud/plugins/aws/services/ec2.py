"""EC2 as boto3's client answers it: moto's answers, and what moto drops of an endpoint, kept in files."""

from typing import Any

from localcloud.plugins.aws.services.base import Members
from localcloud.plugins.aws.services.transit_gateways import TransitGateways

RESERVATION = "subnet-reservation"
"""Noun of what is kept of reservations of ranges."""


class Ec2(TransitGateways):
    """A client of EC2 in one region."""

    def describe_launch_templates(self, **members: Any) -> Members:
        """Launch templates with their tags; moto shows those that they were made with."""
        answer: Members = self.client.describe_launch_templates(**members)
        for template in answer["LaunchTemplates"]:
            own = [{"Name": "resource-id", "Values": [template["LaunchTemplateId"]]}]
            tags = self.client.describe_tags(Filters=own)["Tags"]
            template["Tags"] = [{"Key": tag["Key"], "Value": tag["Value"]} for tag in tags]
        return answer

    # --- subnets ---

    def create_subnet(self, **members: Any) -> Members:
        """Make a subnet; moto's refusal of a zone that there is not names the zones of all regions."""
        zone = members.get("AvailabilityZone")
        offered_zones = self.client.describe_availability_zones()["AvailabilityZones"] if zone else []
        zones = sorted(zone_data["ZoneName"] for zone_data in offered_zones)
        if zone and zone not in zones:
            message = (
                f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can currently only be "
                f"created in the following availability zones: {', '.join(zones)}."
            )
            self.refuse("InvalidParameterValue", message, "CreateSubnet")
        answer: Members = self.client.create_subnet(**members)
        return answer

    # --- reservations ---

    def create_subnet_cidr_reservation(self, **members: Any) -> Members:
        """Reserve a range of a subnet; moto forgets what it is for."""
        answer: Members = self.client.create_subnet_cidr_reservation(**members)
        if members.get("Description"):
            reservation = answer["SubnetCidrReservation"]["SubnetCidrReservationId"]
            self.store.put(RESERVATION, reservation, thing={"Description": members["Description"]})
        return answer

    def get_subnet_cidr_reservations(self, **members: Any) -> Members:
        """Reservations of a subnet."""
        answer: Members = self.client.get_subnet_cidr_reservations(**members)
        for key in ("SubnetIpv4CidrReservations", "SubnetIpv6CidrReservations"):
            for reservation in answer.setdefault(key, []):
                reservation |= self.store.get(RESERVATION, reservation["SubnetCidrReservationId"]) or {}
        return answer

    def delete_subnet_cidr_reservation(self, SubnetCidrReservationId: str) -> Members:
        """Free a range of a subnet."""
        key = {"SubnetCidrReservationId": SubnetCidrReservationId}
        answer: Members = self.client.delete_subnet_cidr_reservation(**key)
        self.store.remove(RESERVATION, SubnetCidrReservationId)
        return answer

    # --- endpoints ---

    def create_vpc_endpoint(self, **members: Any) -> Members:
        """Make an endpoint; one of type interface without security groups has the default one of its VPC.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
        """
        if members.get("VpcEndpointType") == "Interface" and not members.get("SecurityGroupIds"):
            filters = [
                {"Name": "vpc-id", "Values": [members["VpcId"]]},
                {"Name": "group-name", "Values": ["default"]},
            ]
            groups = self.client.describe_security_groups(Filters=filters)["SecurityGroups"]
            members["SecurityGroupIds"] = [group["GroupId"] for group in groups]
        answer: Members = self.client.create_vpc_endpoint(**members)
        return answer

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
