"""Records that lead host names to one server."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

TTL_SECONDS = 60
"""For so long clients go on to a server that was replaced."""


@dataclass(frozen=True, kw_only=True)
class HostRecordsArgs:
    """What differs between servers.

    zone_id: hosted zone of Route 53, public or private, in the same account.
    hosts: names, also `*.<name>`, which holds at any depth below it, but not below a name that exists: what
        proves a certificate for `*.b.<name>` makes `b.<name>` exist (RFC 4592, 2.2.2 and 3.3.1).
    target: name of the server in DNS.
    former_names: of components whose records of these hosts are this one's now.
    """

    zone_id: str
    hosts: Sequence[str]
    target: pulumi.Input[str]
    former_names: Sequence[str] = ()


class HostRecords(pulumi.ComponentResource):
    """Pulumi type `moka:aws:HostRecords`.

    Makes: a route53.Record, CNAME, for each host.
    """

    def __init__(self, name: str, args: HostRecordsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:HostRecords", name, {}, opts)
        for host in args.hosts:
            aws.route53.Record(
                f"{name}-{host}",
                zone_id=args.zone_id,
                name=host,
                type="CNAME",
                records=[args.target],
                ttl=TTL_SECONDS,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    aliases=[pulumi.Alias(name=f"{former}-{host}") for former in args.former_names],
                ),
            )
        self.register_outputs({})
