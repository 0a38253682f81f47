"""ELBv2 as boto3's client answers it: moto's answers, and what ELB refuses where moto does not."""

from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.services.base import Members, Service

STAND_IN = "stand-in.example"
"""Name of the certificate that moto's listeners have: it does not know those of Certificate Manager here."""


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
        [balancer] = self.client.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"]
        self._check_subnets("SetSubnets", {**members, "Scheme": balancer["Scheme"]}, balancer["Type"])
        answer: Members = self.client.set_subnets(**members)
        return answer

    # --- listeners ---

    def create_listener(self, **members: Any) -> Members:
        """Make a listener; its certificates are kept beside moto."""
        self.validate("CreateListener", members)
        answer: Members = self.client.create_listener(**self._with_stand_in("CreateListener", members))
        self._keep(answer["Listeners"][0]["ListenerArn"], members)
        return self._with_certificates(answer)

    def modify_listener(self, **members: Any) -> Members:
        """Change a listener."""
        answer: Members = self.client.modify_listener(**self._with_stand_in("ModifyListener", members))
        self._keep(members["ListenerArn"], members)
        return self._with_certificates(answer)

    def describe_listeners(self, **members: Any) -> Members:
        """Listeners, with their certificates."""
        return self._with_certificates(self.client.describe_listeners(**members))

    def delete_listener(self, ListenerArn: str) -> Members:
        """Delete a listener."""
        answer: Members = self.client.delete_listener(ListenerArn=ListenerArn)
        self.store.remove("listener", ListenerArn)
        return answer

    def _with_stand_in(self, operation: str, members: Members) -> Members:
        """Members with moto's certificate in place of those that are named, which have to be issued.

        https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html; the
        words are those of hashicorp/terraform-provider-aws#41789.
        """
        arns = [certificate["CertificateArn"] for certificate in members.get("Certificates") or ()]
        if not arns:
            return members
        for arn in arns:
            try:
                description = self.api.call(
                    "acm", "describe_certificate", {"CertificateArn": arn}, self.region
                )
            except Exception as error:
                if not not_found(error):
                    raise
                self.refuse("CertificateNotFound", f"Certificate '{arn}' not found", operation)
            if description["Certificate"]["Status"] != "ISSUED":
                message = (
                    f"The certificate '{arn}' must have a fully-qualified domain name, a supported "
                    "signature, and a supported key size"
                )
                self.refuse("UnsupportedCertificate", message, operation)
        acm = self.api.client("acm", self.region)
        stand_in = acm.request_certificate(DomainName=STAND_IN, IdempotencyToken="standin")["CertificateArn"]
        return {**members, "Certificates": [{"CertificateArn": stand_in}]}

    def _keep(self, listener: str, members: Members) -> None:
        if members.get("Certificates"):
            self.store.put("listener", listener, thing={"Certificates": members["Certificates"]})
        else:
            self.store.remove("listener", listener)

    def _with_certificates(self, answer: Mapping[str, Any]) -> Members:
        listeners = [
            {**listener, **(self.store.get("listener", listener["ListenerArn"]) or {})}
            for listener in answer["Listeners"]
        ]
        return {**answer, "Listeners": listeners}

    # --- load balancers ---

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
        vpc_filter = [{"Name": "attachment.vpc-id", "Values": [vpc]}]
        if (
            members.get("Scheme") != "internal"
            and not (ec2.describe_internet_gateways(Filters=vpc_filter)["InternetGateways"])
        ):
            self.refuse("InvalidSubnet", f"VPC {vpc} has no internet gateway", operation)
