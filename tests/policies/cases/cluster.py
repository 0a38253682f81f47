from policies.pack.types import ACCESS_ENTRY, ACCESS_POLICY, ADDON, CLUSTER, LOG_GROUP
from tests.policies.cases.case import Case, a, failing, passing, urn

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
ALL_LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
ROLE = "arn:aws:iam::444455556666:role/moka-deployer"


def endpoint(**settings: object) -> dict:
    return {"vpcConfig": {"endpointPrivateAccess": True, **settings}}


def admin(name: str, cluster: str, policy: str = ADMIN, scope: str = "cluster"):
    inputs = {"clusterName": cluster, "policyArn": policy, "accessScope": {"type": scope}}
    return a(ACCESS_POLICY, inputs, name)


def admin_of(name: str, cluster: str):
    """Of a cluster whose name is not known yet."""
    return a(ACCESS_POLICY, {"policyArn": ADMIN}, name, reads={"clusterName": urn(CLUSTER, cluster)})


CASES: list[Case] = [
    passing("api-server-private", a(CLUSTER, endpoint(endpointPublicAccess=False))),
    passing(
        "api-server-private",
        a(CLUSTER, endpoint(endpointPublicAccess=True, publicAccessCidrs=["198.51.100.0/24"])),
        public_networks=["198.51.100.0/24"],
    ),
    failing("api-server-private", a(CLUSTER, endpoint()), says="0.0.0.0/0"),
    failing("api-server-private", a(CLUSTER, endpoint(publicAccessCidrs=[])), says="0.0.0.0/0"),
    failing(
        "api-server-private",
        a(CLUSTER, endpoint(publicAccessCidrs=["198.51.100.0/24", "203.0.113.0/24"])),
        says="203.0.113.0/24",
        public_networks=["198.51.100.0/24"],
    ),
    #
    passing("api-server-private-endpoint", a(CLUSTER, endpoint())),
    failing("api-server-private-endpoint", a(CLUSTER, endpoint(endpointPrivateAccess=False))),
    failing("api-server-private-endpoint", a(CLUSTER, {"vpcConfig": {}})),
    #
    passing("cluster-secrets-encrypted", a(CLUSTER, {"encryptionConfig": {"resources": ["secrets"]}})),
    failing("cluster-secrets-encrypted", a(CLUSTER, {"name": "acme-prod-spark-a"})),
    failing("cluster-secrets-encrypted", a(CLUSTER, {"encryptionConfig": {"resources": []}})),
    #
    passing("cluster-logs", a(CLUSTER, {"enabledClusterLogTypes": ALL_LOGS})),
    passing("cluster-logs", a(CLUSTER, {"enabledClusterLogTypes": ["audit"]}), types=["audit"]),
    failing("cluster-logs", a(CLUSTER, {"enabledClusterLogTypes": ALL_LOGS[1:]}), says="api"),
    failing("cluster-logs", a(CLUSTER), says="audit"),
    failing("cluster-logs", a(CLUSTER, {"enabledClusterLogTypes": ["api"]}), says="audit", types=["audit"]),
    #
    passing("cluster-api-authentication", a(CLUSTER, {"accessConfig": {"authenticationMode": "API"}})),
    failing(
        "cluster-api-authentication",
        a(CLUSTER, {"accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"}}),
    ),
    failing("cluster-api-authentication", a(CLUSTER)),
    #
    passing(
        "cluster-creator-no-admin",
        a(CLUSTER, {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": False}}),
    ),
    failing("cluster-creator-no-admin", a(CLUSTER, {"accessConfig": {"authenticationMode": "API"}})),
    #
    passing("cluster-version-supported", a(CLUSTER, {"version": "1.34"})),
    passing("cluster-version-supported", a(CLUSTER, {"version": "1.99"})),
    failing("cluster-version-supported", a(CLUSTER, {"version": "1.29"}), says="1.29"),
    failing("cluster-version-supported", a(CLUSTER, {"version": "1.12"}), says="no more"),
    failing("cluster-version-supported", a(CLUSTER, {"name": "acme-prod-spark-a"}), says="set version"),
    #
    passing("cluster-version-ends-soon", a(CLUSTER, {"version": "1.33"})),
    passing("cluster-version-ends-soon", a(CLUSTER, {"version": "1.99"})),
    failing("cluster-version-ends-soon", a(CLUSTER, {"version": "1.32"}), says="ends on 2026-03-23"),
    failing("cluster-version-ends-soon", a(CLUSTER, {"version": "1.34"}), days_before_end=400),
    #
    passing("cluster-standard-support", a(CLUSTER, {"upgradePolicy": {"supportType": "STANDARD"}})),
    failing("cluster-standard-support", a(CLUSTER, {"upgradePolicy": {"supportType": "EXTENDED"}})),
    failing("cluster-standard-support", a(CLUSTER)),
    #
    passing("cluster-deletion-protected", a(CLUSTER, {"deletionProtection": True})),
    failing("cluster-deletion-protected", a(CLUSTER, {"deletionProtection": False})),
    #
    passing("cluster-zonal-shift", a(CLUSTER, {"zonalShiftConfig": {"enabled": True}})),
    failing("cluster-zonal-shift", a(CLUSTER, {"zonalShiftConfig": {"enabled": False}})),
    #
    passing("addon-version-pinned", a(ADDON, {"addonName": "vpc-cni", "addonVersion": "v1.20.4-eksbuild.1"})),
    failing("addon-version-pinned", a(ADDON, {"addonName": "vpc-cni"})),
    #
    passing("log-group-retention", a(LOG_GROUP, {"retentionInDays": 365})),
    passing("log-group-retention", a(LOG_GROUP, {"retentionInDays": 7}), at_least_days=7),
    failing("log-group-retention", a(LOG_GROUP, {"name": "/aws/eks/spark-a/cluster"}), says="for ever"),
    failing("log-group-retention", a(LOG_GROUP, {"retentionInDays": 30}), says="30 days"),
    #
    passing("access-entry-role", a(ACCESS_ENTRY, {"principalArn": ROLE})),
    passing(
        "access-entry-role",
        a(ACCESS_ENTRY, {"principalArn": "arn:aws:iam::444455556666:user/me"}),
        users=True,
    ),
    failing(
        "access-entry-role",
        a(ACCESS_ENTRY, {"principalArn": "arn:aws:iam::444455556666:user/me"}),
        says="user/me",
    ),
    failing(
        "access-entry-role",
        a(ACCESS_ENTRY, {"principalArn": "arn:aws:iam::444455556666:root"}),
        says="whole account",
        users=True,
    ),
    #
    passing(
        "access-entry-no-masters", a(ACCESS_ENTRY, {"kubernetesGroups": ["moka:jobs:spark-analytics:view"]})
    ),
    failing(
        "access-entry-no-masters", a(ACCESS_ENTRY, {"kubernetesGroups": ["system:masters"]}), says="masters"
    ),
    #
    passing("cluster-admins-few", admin("deployer", "a"), admin("break-glass", "a"), admin("deployer", "b")),
    passing("cluster-admins-few", admin_of("first", "a"), admin_of("second", "a"), admin_of("third", "b")),
    passing(
        "cluster-admins-few",
        admin("deployer", "a"),
        admin("break-glass", "a"),
        admin("team", "a", scope="namespace"),
        admin("auditors", "a", VIEW),
    ),
    failing(
        "cluster-admins-few",
        admin("deployer", "a"),
        admin("break-glass", "a"),
        admin("team", "a"),
        says="team",
    ),
    failing("cluster-admins-few", admin_of("first", "a"), admin_of("second", "a"), says="second", at_most=1),
]
