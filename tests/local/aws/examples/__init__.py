"""An example of every type of the table, in the module of its row: how it lives, and is changed by hand."""

from importlib import import_module

from localcloud.plugins.aws.tables import MODULES
from tests.local.aws.examples.example import World

EXAMPLES, CHANGES_BY_HAND, BASES = [], {}, {}

for name in sorted({name for names in MODULES.values() for name in names}):
    module = import_module(f"{__name__}.{name}")
    EXAMPLES += module.EXAMPLES
    CHANGES_BY_HAND |= module.CHANGES_BY_HAND
    BASES |= getattr(module, "BASES", {})


def make_world(bench):
    """What the examples stand on."""
    return World(bench, BASES)


STAYS = {
    # A VPC's default group goes with the VPC, and a bucket that had versions has them suspended.
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:s3/bucketVersioning:BucketVersioning",
    "aws:s3/bucketVersioningV2:BucketVersioningV2",
    # Acceleration is suspended; a bucket's lock stays.
    "aws:s3/bucketAccelerateConfiguration:BucketAccelerateConfiguration",
    "aws:s3/bucketAccelerateConfigurationV2:BucketAccelerateConfigurationV2",
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
    "aws:s3/bucketObjectLockConfigurationV2:BucketObjectLockConfigurationV2",
    # No secret is without a current version.
    "aws:secretsmanager/secretVersion:SecretVersion",
    # The provider leaves ACLs as they are.
    "aws:s3/bucketAcl:BucketAcl",
    "aws:s3/bucketAclV2:BucketAclV2",
    # It is the provider's, of a certificate that stays as it is.
    "aws:acm/certificateValidation:CertificateValidation",
}
"""Types of which something stays when a resource is deleted."""

NOT_DELETED = {
    # With what is in or on them they would be gone too, or cannot go before it.
    "aws:ec2/vpc:Vpc",
    "aws:ec2/subnet:Subnet",
    "aws:ec2/internetGateway:InternetGateway",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/eip:Eip",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:eks/cluster:Cluster",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:iam/role:Role",
    "aws:iam/policy:Policy",
    "aws:kms/key:Key",
    "aws:s3/bucket:Bucket",
    "aws:s3/bucketV2:BucketV2",
    "aws:ecr/repository:Repository",
    "aws:acm/certificate:Certificate",
    "aws:route53/zone:Zone",
    # Cannot be deleted at all.
    "aws:acm/certificateValidation:CertificateValidation",
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:s3/bucketVersioning:BucketVersioning",
    "aws:s3/bucketVersioningV2:BucketVersioningV2",
}
"""Types of which others are in the way of a deletion by hand."""
