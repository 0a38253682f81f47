"""Arguments of the components of eks, and what to do instead of those that are not served."""

from localcloud.plugins.aws.table import words
from localcloud.plugins.components.arguments import Arguments

RESOLVE = words("resolveConflictsOnCreate resolveConflictsOnUpdate")

NO_AUTOMATIC_NODES = "only managed node groups are simulated, so make an eks.ManagedNodeGroup"
NO_DEFAULT_NODES = "set skipDefaultNodeGroup and make an eks.ManagedNodeGroup"
NO_CREDENTIALS = "access to a cluster of the laptop is by its own token, so leave it out"
NO_USER_DATA = "the machines are simulated and start nothing, so leave it out"
OWN_TEMPLATE = "make an aws.ec2.LaunchTemplate and name it with launchTemplate"


CNI_SETTINGS = words(
    "cniConfigureRpfilter cniCustomNetworkCfg cniExternalSnat customNetworkConfig disableTcpEarlyDemux "
    "enablePodEni enablePrefixDelegation eniConfigLabelDef eniMtu externalSnat logFile logLevel "
    "nodePortSupport vethPrefix warmEniTarget warmIpTarget warmPrefixTarget"
)

CNI = Arguments(
    served=CNI_SETTINGS
    | RESOLVE
    | words("addonVersion configurationValues enableNetworkPolicy serviceAccountRoleArn"),
    refused={"securityContextPrivileged": "no CNI runs on the laptop, so leave it out"},
)

VPC_CNI_ADDON = Arguments(
    served=CNI.served | words("clusterName clusterVersion tags"),
    refused=CNI.refused,
)

KUBECONFIG = Arguments(served=words("profileName roleArn"))

SIMPLE_ADDON = Arguments(served=RESOLVE | words("configurationValues enabled version"))

ADDON = Arguments(
    served=RESOLVE
    | words("addonName addonVersion cluster configurationValues preserve serviceAccountRoleArn tags")
)

# Arguments of the node group that the real component makes by default.
DEFAULT_NODES = words(
    "desiredCapacity gpu instanceProfileName instanceType maxSize minSize nodeAmiId "
    "nodeAssociatePublicIpAddress nodeGroupOptions nodePublicKey nodeRootVolumeEncrypted "
    "nodeRootVolumeSize nodeSubnetIds nodeUserData"
)

CLUSTER = Arguments(
    served=words(
        "accessEntries authenticationMode bootstrapSelfManagedAddons clusterSecurityGroup "
        "clusterSecurityGroupTags clusterTags corednsAddonOptions deletionProtection "
        "enableConfigMapMutable enabledClusterLogTypes encryptionConfigKeyArn endpointPrivateAccess "
        "endpointPublicAccess instanceRoles ipFamily kubeProxyAddonOptions kubernetesServiceIpAddressRange "
        "name nodeSecurityGroupTags privateSubnetIds providerCredentialOpts publicAccessCidrs "
        "publicSubnetIds roleMappings serviceRole skipDefaultNodeGroup skipDefaultSecurityGroups "
        "storageClasses subnetIds tags upgradePolicy useDefaultVpcCni userMappings version "
        "vpcCniOptions vpcId"
    ),
    refused=dict.fromkeys(DEFAULT_NODES, NO_DEFAULT_NODES)
    | {
        "autoMode": NO_AUTOMATIC_NODES,
        "createInstanceRole": "make an aws.iam.Role and give it to the node group",
        "createOidcProvider": "use aws.eks.PodIdentityAssociation",
        "creationRoleProvider": NO_CREDENTIALS,
        "fargate": NO_AUTOMATIC_NODES,
        "instanceRole": "give the role to the node group with nodeRoleArn",
        "proxy": "everything is on this machine, so leave it out",
    },
    nested={
        "corednsAddonOptions": SIMPLE_ADDON,
        "kubeProxyAddonOptions": SIMPLE_ADDON,
        "providerCredentialOpts": KUBECONFIG,
        "vpcCniOptions": CNI,
    },
    required={
        "skipDefaultNodeGroup": "set it and make an eks.ManagedNodeGroup",
    },
)

MANAGED_NODE_GROUP = Arguments(
    served=words(
        "amiType capacityType cluster clusterName diskSize forceUpdateVersion gpu ignoreScalingChanges "
        "instanceTypes labels launchTemplate nodeGroupName nodeGroupNamePrefix nodeRole nodeRoleArn "
        "operatingSystem releaseVersion remoteAccess scalingConfig subnetIds tags taints version"
    ),
    refused={
        "amiId": "no image is started, so name its kind with amiType",
        "bootstrapExtraArgs": NO_USER_DATA,
        "bottlerocketSettings": NO_USER_DATA,
        "enableEfaSupport": "the machines are simulated and have no network, so leave it out",
        "enableIMDSv2": OWN_TEMPLATE,
        "kubeletExtraArgs": NO_USER_DATA,
        "nodeadmExtraOptions": NO_USER_DATA,
        "placementGroupAvailabilityZone": "the machines are simulated and have no network, so leave it out",
        "userData": NO_USER_DATA,
    },
)
