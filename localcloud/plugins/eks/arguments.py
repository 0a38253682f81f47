"""Arguments of the components of eks, and what to do instead of those that are not served."""

from localcloud.plugins.aws.table import words
from localcloud.plugins.components.arguments import Arguments

RESOLVE = words("resolveConflictsOnCreate resolveConflictsOnUpdate")

NO_AUTOMATIC_NODES = "only managed node groups are simulated, so make an eks.ManagedNodeGroup"
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

SAME = words(
    "desiredCapacity gpu instanceType maxSize minSize nodeAssociatePublicIpAddress nodePublicKey "
    "nodeRootVolumeEncrypted nodeRootVolumeSize nodeSubnetIds nodeUserData version"
)
DEFAULT_NODES = {**{name: name for name in SAME}, "nodeAmiId": "amiId"}
"""Argument of a cluster -> argument of its default nodes."""

NODE_GROUP = Arguments(
    served=words(
        "amiId amiType autoScalingGroupTags cluster clusterIngressRule clusterIngressRuleId "
        "desiredCapacity enableDetailedMonitoring extraNodeSecurityGroups gpu "
        "ignoreScalingChanges instanceProfile instanceProfileName instanceType keyName kubeletExtraArgs "
        "labels launchTemplateTagSpecifications maxSize minRefreshPercentage minSize "
        "nodeAssociatePublicIpAddress nodePublicKey nodeRootVolumeDeleteOnTermination "
        "nodeRootVolumeEncrypted nodeRootVolumeIops nodeRootVolumeSize nodeRootVolumeThroughput "
        "nodeRootVolumeType nodeSecurityGroup nodeSecurityGroupId nodeSubnetIds nodeUserData "
        "nodeUserDataOverride nodeadmExtraOptions operatingSystem spotPrice taints version"
    ),
    refused={
        "bootstrapExtraArgs": "nodes of AL2023 have no bootstrap script, so leave it out",
        "bottlerocketSettings": "user data of AL2023 only is read here, so leave it out",
        "cloudFormationTags": "no stack of CloudFormation is made, so name them in autoScalingGroupTags",
        "encryptRootBlockDevice": "set nodeRootVolumeEncrypted",
    },
)

OF_TEMPLATES = words("ignoreScalingChanges launchTemplateTagSpecifications minRefreshPercentage")

NODE_GROUP_V1 = Arguments(
    served=NODE_GROUP.served - OF_TEMPLATES | words("cloudFormationTags"),
    refused={name: why for name, why in NODE_GROUP.refused.items() if name != "cloudFormationTags"},
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
        "vpcCniOptions vpcId createInstanceRole fargate instanceRole nodeGroupOptions"
    )
    | DEFAULT_NODES.keys(),
    refused={
        "autoMode": NO_AUTOMATIC_NODES,
        "createOidcProvider": "use aws.eks.PodIdentityAssociation",
        "creationRoleProvider": NO_CREDENTIALS,
        "instanceProfileName": "make an aws.iam.InstanceProfile and name it in nodeGroupOptions",
        "proxy": "everything is on this machine, so leave it out",
    },
    nested={
        "corednsAddonOptions": SIMPLE_ADDON,
        "fargate": Arguments(served=words("podExecutionRoleArn selectors subnetIds")),
        "kubeProxyAddonOptions": SIMPLE_ADDON,
        "nodeGroupOptions": Arguments(served=NODE_GROUP.served - {"cluster"}, refused=NODE_GROUP.refused),
        "providerCredentialOpts": KUBECONFIG,
        "vpcCniOptions": CNI,
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
