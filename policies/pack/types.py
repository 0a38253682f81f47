"""Types of resources, as Pulumi calls them."""

from policies.pack.objects import RELEASE, WORKLOADS

ACCESS_ENTRY = "aws:eks/accessEntry:AccessEntry"
ACCESS_POLICY = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
ADDON = "aws:eks/addon:Addon"
BUCKET = "aws:s3/bucket:Bucket"
BUCKET_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
BUCKET_ENCRYPTION = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
BUCKET_LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
BUCKET_LOGGING = "aws:s3/bucketLogging:BucketLogging"
BUCKET_OWNERSHIP = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
BUCKET_POLICY = "aws:s3/bucketPolicy:BucketPolicy"
BUCKET_VERSIONING = "aws:s3/bucketVersioning:BucketVersioning"
CLUSTER = "aws:eks/cluster:Cluster"
DATABASE_INSTANCE = "aws:rds/clusterInstance:ClusterInstance"
DATABASES = ("aws:rds/instance:Instance", "aws:rds/cluster:Cluster")
DEFAULT_SECURITY_GROUP = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
FILE_SYSTEM = "aws:efs/fileSystem:FileSystem"
FLOW_LOG = "aws:ec2/flowLog:FlowLog"
INSTANCE = "aws:ec2/instance:Instance"
KEY = "aws:kms/key:Key"
INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
PEERING = "aws:ec2/vpcPeeringConnection:VpcPeeringConnection"
PERSISTENT_VOLUME = "kubernetes:core/v1:PersistentVolume"
POD_IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
POLICY = "aws:iam/policy:Policy"
AWS_PROVIDER = "pulumi:providers:aws"
REGISTRY_POLICY = "aws:ecr/registryPolicy:RegistryPolicy"
REPOSITORY = "aws:ecr/repository:Repository"
REPOSITORY_LIFECYCLE = "aws:ecr/lifecyclePolicy:LifecyclePolicy"
REPOSITORY_POLICY = "aws:ecr/repositoryPolicy:RepositoryPolicy"
REPOSITORY_TEMPLATE = "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate"
ROLE = "aws:iam/role:Role"
ROLE_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
ROUTE = "aws:ec2/route:Route"
ROUTE_TABLE = "aws:ec2/routeTable:RouteTable"
ROUTE_TABLE_ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
SECURITY_GROUP_INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
SECURITY_GROUP_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
SUBNET = "aws:ec2/subnet:Subnet"
USER_CREDENTIALS = (
    "aws:iam/user:User",
    "aws:iam/accessKey:AccessKey",
    "aws:iam/userLoginProfile:UserLoginProfile",
)
VOLUME = "aws:ebs/volume:Volume"
VPC = "aws:ec2/vpc:Vpc"

CLUSTER_ROLE_BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
DISRUPTION_BUDGET = "kubernetes:policy/v1:PodDisruptionBudget"
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
NAMESPACE = "kubernetes:core/v1:Namespace"
NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
PRIORITY_CLASS = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
QUOTA = "kubernetes:core/v1:ResourceQuota"
RBAC_BINDINGS = (CLUSTER_ROLE_BINDING, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
RBAC_ROLES = (
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
    "kubernetes:rbac.authorization.k8s.io/v1:Role",
)
SECRET = "kubernetes:core/v1:Secret"
SERVICE = "kubernetes:core/v1:Service"
STACK = "pulumi:pulumi:Stack"
STATEFUL_SET = "kubernetes:apps/v1:StatefulSet"
STORAGE_CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"

OBJECTS = "kubernetes:*"

__all__ = ["RELEASE", "WORKLOADS"]
