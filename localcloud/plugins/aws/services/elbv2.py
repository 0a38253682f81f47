"""ELBv2 as boto3's client answers it: moto's answers, and what ELB refuses where moto does not."""

from typing import Any

from localcloud.plugins.aws.services.base import Members, Service


class Elbv2(Service):
    """A client of ELBv2 in one region."""

    def create_load_balancer(self, **members: Any) -> Members:
        """Make a load balancer, in subnets that it may be in."""
        self.validate("CreateLoadBalancer", members)
        self._check_subnets("CreateLoadBalancer", members, members.get("Type") or "application")
        answer: Members = self.client.create_load_balancer(**members)
        return answer

    def set_subnets(self, **members: Any) -> Members:
        """Put a load balancer into other subnets."""
        self.validate("SetSubnets", members)
        arn = members["LoadBalancerArn"]
        [shown] = self.client.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"]
        self._check_subnets("SetSubnets", {**members, "Scheme": shown["Scheme"]}, shown["Type"])
        answer: Members = self.client.set_subnets(**members)
        return answer

    def _check_subnets(self, operation: str, members: Members, type: str) -> None:
        """Refuse too few zones, and a VPC without a way to the internet.

        https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
        https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
        """
        ids = members.get("Subnets") or []
        ec2 = self.api.client("ec2", self.region)
        subnets = ec2.describe_subnets(SubnetIds=ids)["Subnets"] if ids else []
        zones = {subnet["AvailabilityZone"] for subnet in subnets}
        if type == "application" and len(zones) < 2:
            message = "At least two subnets in two different Availability Zones must be specified"
            self.refuse("ValidationError", message, operation)
        if len(zones) < len(subnets):
            message = "A load balancer cannot be attached to multiple subnets in the same Availability Zone"
            self.refuse("InvalidConfigurationRequest", message, operation)
        vpc = subnets[0]["VpcId"] if subnets else ""
        attached = [{"Name": "attachment.vpc-id", "Values": [vpc]}]
        if (
            members.get("Scheme") != "internal"
            and not (ec2.describe_internet_gateways(Filters=attached)["InternetGateways"])
        ):
            self.refuse("InvalidSubnet", f"VPC {vpc} has no internet gateway", operation)
