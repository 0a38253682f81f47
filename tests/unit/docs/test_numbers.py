"""Numbers that pages say in prose, against what programs go by.

Tables that are made of data have tests of their own, and so have defaults (test_settings_named.py).
"""

import re
from importlib.metadata import version
from typing import Any

import pytest
import yaml

from accounts.permissions.identity import MANAGED_POLICIES, PASSED_TO
from accounts.state import FORMER_DAYS
from aws_rules.eks.drain import DRAIN_MINUTES
from aws_rules.eks.duration import CREATE_MINUTES, DELETE_MINUTES
from aws_rules.eks.duration import SETUP_MINUTES as EKS_SETUP_MINUTES
from aws_rules.images.docker_hub import PULLS
from conformance.refusals.on_cluster import PROBES as PROBES_ON_CLUSTER
from doctor.checks import pages, versions
from doctor.upgrade import clusters
from localcloud.cloud import REPOSITORY
from localcloud.plugins.kubernetes.resources import PULL_PATIENCE_SECONDS
from moka.celeborn.configuration import HEARTBEAT_TIMEOUT_SECONDS, RESTART_SECONDS
from moka.certificates import CERTIFICATES_PER_LISTENER, NAMES_PER_CERTIFICATE
from moka.components.aws.database import LOG_DAYS
from moka.components.aws.host_records import TTL_SECONDS
from moka.components.aws.node_group import SETUP_MINUTES, WAVE_MINUTES
from moka.components.kubernetes.bootstrap import STARTUP_SECONDS, STARTUP_TRIES
from moka.components.kubernetes.history_configuration import BATCH
from moka.components.kubernetes.ingress_load_balancer import DRAIN_SECONDS
from moka.components.kubernetes.rollouts import WAVES
from moka.control_plane_tiers import CAPACITIES, MOST_PODS_A_SECOND
from moka.jobs import event_log_uploader as sidecar
from moka.jobs import zones
from moka.jobs.conf import GRACE_SECONDS
from moka.jobs.job import Job
from moka.jobs.pods import NDOTS
from moka.jobs.versions import RELEASES
from moka.machines.machine_capacity import HIDDEN_MEMORY
from moka.machines.node_roles import ROLES
from moka.machines.profiles import PROFILES
from moka.machines.root_disk import GIB_A_VCPU, MIBPS_A_VCPU, OTHER_DISK_GIB
from moka.network_address_usage import MOST_UNITS
from moka.observability.series import SERIES_BYTES
from moka.pod_subnets import interface_addresses, prefixes
from moka.policy_endpoints import CORES_A_POD, MOST_SENT, PEER_BYTES, SELECTED_BYTES, megabytes_a_second
from moka.queues.tiers import POLICIES
from moka.sizes import rollouts
from moka.sizes.fluent_bit import fluent_bit_size
from moka.sizes.history import MAX_LISTED
from moka.sizes.rollouts import PULL_SECONDS, rollout_seconds
from moka.sizes.yunikorn import LEAST_REQUESTS, api_requests_per_second
from moka.submission import breaker
from policies.catalog import RULES
from services.archer.database import claims, leases
from services.archer.worker import lookout
from services.driver_finalizer import remover, rules
from services.event_log_uploader import __main__ as event_log_process
from services.event_log_uploader import logs_folder, uploader
from services.history_gate import keeper
from services.ui_gateway import __main__ as gateway
from services.ui_gateway import login, login_secret, proxy, sessions
from stacks.scale import GANG_REQUESTS
from stacks.settings import load, node_scripts
from stacks.settings.checks.charts import DOCKER_HUB_PULLS
from stacks.settings.checks.ingress import MAX_NAMESPACES
from stacks.settings.database import Database
from stacks.settings.logs import Logs
from stacks.settings.spark import CelebornDefault, EventLogs, Operator
from tests.support.documented import in_one_line
from tests.support.planted_secrets import PLANTED

WORDS = (
    "none",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
)


def minutes(seconds: float) -> int:
    """Whole minutes."""
    return round(seconds / 60)


def word(number: float) -> str:
    """A small number as prose has it."""
    return WORDS[round(number)]


def default(section: Any, field: str) -> Any:
    """The default of a setting, or of a field of jobs."""
    return section.model_fields[field].default


def cron_of(workflow: str) -> str:
    """When a workflow of GitHub runs."""
    [cron] = re.findall(r'cron: "(.+)"', (WORKFLOWS / f"{workflow}.yml").read_text())
    return cron


def session_seconds(workflow: str) -> int:
    """How long the session of a role lasts that a workflow takes."""
    [seconds] = re.findall(r"role-duration-seconds: (\d+)", (WORKFLOWS / f"{workflow}.yml").read_text())
    return int(seconds)


def nodes_for(tier: str) -> str:
    """The most nodes whose requests a tier of control planes is for."""
    carried = CAPACITIES[tier].pods_a_second
    return f"{max(nodes for nodes in range(3_000) if api_requests_per_second(nodes) <= carried):,}"


def parameter(policy: str, name: str) -> Any:
    """What a policy goes by where no environment says otherwise."""
    return next(rule for rule in RULES if rule.name == policy).parameters[name]


WORKFLOWS = REPOSITORY / ".github" / "workflows"
SECONDS = default(EventLogs, "seconds")
EVENT_LOG_GIB = sidecar.VOLUME_MIB // 1024
SPREAD_IN_PROD = [name for name, one in load("prod").clusters.items() if one.node_order == "fair"]

CATALOG = yaml.safe_load((REPOSITORY / "charts-values" / "charts.yaml").read_text())
PINNED_CHARTS, PINNED_IMAGES = (
    [name for name, one in CATALOG[kind].items() if one["digest"]] for kind in ("charts", "images")
)
TRAEFIK = yaml.safe_load((REPOSITORY / "charts-values" / "traefik.yaml").read_text())
SERVES_ON = TRAEFIK["deployment"]["lifecycle"]["preStop"]["sleep"]["seconds"]
LOGS = Logs()
LOGS_SIZE = fluent_bit_size(
    drivers_behind=LOGS.drivers_behind_seconds,
    executors_behind=LOGS.executors_behind_seconds,
    outage_hours=LOGS.outage_hours,
    kib_per_second=LOGS.kib_per_second,
)
DRIVERS_GIB = (LOGS_SIZE.buffers["drivers"].store + LOGS_SIZE.buffers["drivers"].queue) / 1024
POD_SUBNET = "10.0.0.0/18"

SAID = {
    "docs/accounts.md": [
        f"puts none of AWS's policies on them but {word(len(MANAGED_POLICIES))}, passes them to "
        f"{word(len(PASSED_TO))} services",
        f"S3 itself forgets former versions after { {365: 'a year'}[FORMER_DAYS] }",
    ],
    "docs/delivery.md": [
        "every night at {1:02}:{0:02} UTC".format(*map(int, cron_of("drift").split()[:2])),
        f"its sessions may last an hour, and {word(session_seconds('up') / 3600)}",
    ],
    "docs/jobs.md": [
        f"after its end ({ {3600: 'an hour'}[default(Job, 'ttl_seconds')] })",
        f"and {HIDDEN_MEMORY:.0%} for what firmware and kernel take",
        f"`ndots: {NDOTS}` in place of Kubernetes' 5",
        f"more than { {0.5: 'half'}[zones.MOST] } of what a zone can have goes anywhere",
        *(f"| {spark} | `hadoop-aws` {release.hadoop} |" for spark, release in RELEASES.items()),
        *("`{}` {}".format(*release.sdk.split()) for release in RELEASES.values()),
        *(f"` {release.release} |" for release in RELEASES.values()),
    ],
    "docs/network.md": [
        f"{SELECTED_BYTES} bytes a pod that is selected, {PEER_BYTES} one that is let in",
        f"More than {MOST_SENT:,} MB a second is refused",
        f"one for each {word(CORES_A_POD)} cores",
        *(
            f"| {megabytes_a_second(5 * nodes, 5 * nodes, nodes):,.0f} MB |"
            for nodes in (250, 500, 1_000, 2_500)
        ),
    ],
    "docs/laptop-cloud.md": [
        "pulumi-aws {}, pulumi-awsx {}, pulumi-eks {}, pulumi-kubernetes {}, or earlier".format(
            *map(version, ("pulumi-aws", "pulumi-awsx", "pulumi-eks", "pulumi-kubernetes"))
        ),
        f"no more than {PULLS} machines, with every group at its maximum, pull from Docker Hub",
        f"is given up after {PULL_PATIENCE_SECONDS:.0f} s, not when its time is over",
        f"| a cluster is made, updated, deleted | {CREATE_MINUTES['cluster']} each |",
        f"| a node group is made, or its settings changed | {CREATE_MINUTES['nodegroup']} |",
        f"| its machines are replaced | {EKS_SETUP_MINUTES}, and for each wave",
        f"a pod there, from 2 to {DRAIN_MINUTES} |",
        f"| a node group is deleted | {DELETE_MINUTES['nodegroup']} |",
    ],
    "docs/operations/alerts.md": [
        f"though a claim holds for {word(minutes(claims.LEASE.total_seconds()))}",
        f"it did not answer {word(breaker.FAILURES)} times in a row",
        f"another one follows within { {15: 'a quarter of a minute'}[leases.SECONDS] }",
        f"raise `metrics.store.memory_gib`, {SERIES_BYTES // 1024} KiB a series",
    ],
    "docs/operations/archer.md": [f"is some {word(lookout.SECONDS)} seconds old"],
    "docs/operations/clusters.md": [
        f"{LEAST_REQUESTS} at the least and as many as the tier is for at the most ({MOST_PODS_A_SECOND} on",
        f"enough up to {nodes_for('tier-xl')} nodes, `tier-2xl` up to {nodes_for('tier-2xl')}",
        "10,000 / ({} / {}) = {:.0f} s".format(
            rate := api_requests_per_second(2_000, "tier-4xl"), GANG_REQUESTS, 10_000 / (rate / GANG_REQUESTS)
        ),
        *(f"| {tier.pods_a_second} | {tier.database_gb} GB |" for tier in CAPACITIES.values()),
        *(f"| `{name}` | {tier.seats:,} (" for name, tier in CAPACITIES.items()),
    ],
    "docs/operations/conformance.md": [f"it answers {word(len(PROBES_ON_CLUSTER))} further probes"],
    "docs/operations/database.md": [
        f"By default {word(default(Database, 'instances'))} serverless instances in two zones, of "
        f"{default(Database, 'minimum_capacity')} to {default(Database, 'maximum_capacity')} ACUs each",
        f"in CloudWatch Logs for {LOG_DAYS} days",
    ],
    "docs/operations/doctor.md": [
        f"not within {pages.MIN_TIME_LEFT.days} days of an end that ACM does not renew",
        f"fewer than {word(clusters.ADDRESSES)} free ones in the subnets of the control plane",
    ],
    "docs/operations/environments.md": [
        f"{prefixes(POD_SUBNET)} prefixes, {prefixes(POD_SUBNET) * 16:,} addresses |",
        f"| {interface_addresses(POD_SUBNET):,} |",
        f"settings beyond {MOST_UNITS:,} are refused",
    ],
    "docs/operations/event-logs.md": [
        f"what Spark had written `seconds` + 5 s before: {SECONDS + 5} s",
        f"Once its marker is silent for {minutes(keeper.SILENT_SECONDS)} minutes its log is joined",
        f"put again every {word(minutes(logs_folder.MARKED_EVERY_SECONDS))} minutes while the driver runs",
        f"after {2 * SECONDS} s, {4 * SECONDS} s, and then each "
        f"{ {60: 'minute'}[uploader.LONGEST_PAUSE_SECONDS] }",
        f"the volume ({EVENT_LOG_GIB} GiB) takes the log",
        f"Three quarters of it, {EVENT_LOG_GIB * 3 // 4} GiB",
        f"it has {event_log_process.SECONDS_AT_END:.0f} s of the pod's grace period of "
        f"{GRACE_SECONDS['driver']} s",
        f"no round has ended for {word(minutes(uploader.STUCK_SECONDS))} minutes",
        f"requests {sidecar.MEMORY_MIB} MiB more",
        f"and is limited to {sidecar.MEMORY_LIMIT.removesuffix('Mi')}.",
    ],
    "docs/operations/history.md": [
        f"its history, {minutes(keeper.SILENT_SECONDS)} minutes later at the latest",
        f"More than {MAX_LISTED:,} are refused",
        f"The first scan of an empty volume reads {BATCH:,} logs",
        f"It tries again every { {60: 'minute'}[keeper.ROUND_SECONDS] }",
    ],
    "docs/operations/images.md": [f"lets an address pull {DOCKER_HUB_PULLS} images in 6 hours"],
    "docs/operations/ingress.md": [
        f"A certificate takes {word(NAMES_PER_CERTIFICATE)} names, a load balancer "
        f"{CERTIFICATES_PER_LISTENER} certificates: {MAX_NAMESPACES} job namespaces",
        f"goes on serving for {SERVES_ON} s while the load balancer stops sending to it (it drains for "
        f"{DRAIN_SECONDS} s), then ends what is open within "
        f"{TRAEFIK['ports']['web']['transport']['lifeCycle']['graceTimeOut'].removesuffix('s')} s",
        f"records follow within their {TTL_SECONDS} s",
        f"gives no answer within {proxy.READ_SECONDS:.0f} s",
        f"above {gateway.STALLED_AFTER_SECONDS:.0f} the pod is restarted",
    ],
    "docs/operations/login.md": [
        f"and one of {minutes(sessions.HOST_SECONDS)} minutes on the host of each page",
        f"Gateways read it every {minutes(login_secret.REFRESH_SECONDS)} minutes, and encrypt with "
        f"the new key after {minutes(login_secret.SETTLED_SECONDS)}",
        f"took more than {minutes(login.LOGIN_SECONDS)} minutes",
        f"the way back took more than { {60: 'a minute'}[login.TICKET_SECONDS] }",
    ],
    "docs/operations/logs.md": [
        f"Drivers are at most {LOGS.drivers_behind_seconds} s behind, all else "
        f"{LOGS.executors_behind_seconds} s",
        f"{DRIVERS_GIB:.1f} GiB with the defaults",
        f"{LOGS_SIZE.gib} GiB at the most, whatever happens",
        f"With {LOGS.drivers_behind_seconds} s the time-out is {LOGS_SIZE.drivers_upload} s, with "
        f"{LOGS.executors_behind_seconds} s it is {LOGS_SIZE.others_upload} s",
        f"| a driver at {LOGS.drivers_behind_seconds} s | {3600 / LOGS_SIZE.drivers_upload:.0f} |",
        f"| an executor at {LOGS.executors_behind_seconds} s | {3600 / LOGS_SIZE.others_upload:.0f} |",
        f"but where a container writes {ROLES['driver'].log_mib} MiB ({ROLES['system'].log_mib} on",
    ],
    "docs/operations/node-groups.md": [
        f"it has its grace period of {word(minutes(GRACE_SECONDS['executor']))} minutes",
        f"{WAVE_MINUTES} minutes each, {SETUP_MINUTES} around them",
        f"`disk` has less than {GIB_A_VCPU} GiB a vCPU beside {OTHER_DISK_GIB} for the node itself, or "
        f"less than {MIBPS_A_VCPU * 16:.0f} MiB a second for 16 vCPUs",
        f"as another image does, a { {10: 'tenth'}[ROLES['executor'].rolling_percent or 0] } at a time",
        f"| {PROFILES['batch'].idle_minutes} minutes: what a planned job gives back",
        f"| {PROFILES['adhoc'].idle_minutes} minutes |",
        f"on the emptiest node (`{PROFILES['batch'].order}`)",
        f"on the fullest node (`{PROFILES['adhoc'].order}`)",
        f"{', '.join(SPREAD_IN_PROD) or 'None of the clusters'} of `stacks/prod.yaml` sorts by `fair`",
        f"have {node_scripts.MAX_BYTES // 1024} KiB together",
        f"after {minutes(STARTUP_SECONDS * STARTUP_TRIES)} minutes started anew",
        f"{minutes(rollout_seconds(WAVES, start_seconds=STARTUP_SECONDS * STARTUP_TRIES))} minutes at most: "
        f"{word(WAVES)} waves, each with {rollouts.GRACE_SECONDS} s for a pod to end, {PULL_SECONDS} s for "
        f"its image and {STARTUP_SECONDS * STARTUP_TRIES} s for `ready`",
    ],
    "docs/operations/scheduling.md": [
        "after {}, {} and {} s (`delay_seconds`)".format(*(tier.delay_seconds for tier in POLICIES.values())),
    ],
    "docs/operations/secrets.md": [f"Secrets of {word(len(PLANTED))} kinds are planted"],
    "docs/operations/shuffle.md": [
        f"after {minutes(HEARTBEAT_TIMEOUT_SECONDS)} minutes without it",
        f"writes down what it has ({minutes(RESTART_SECONDS)} minutes at most)",
        f"executors may have {default(CelebornDefault, 'cores')} cores or more",
    ],
    "docs/operations/spark.md": [
        f"all job namespaces, {default(Operator, 'applications_per_minute')} a minute",
        f"After {minutes(remover.LONG_WAIT_SECONDS)} minutes the log says `still held`",
        f"goes after {minutes(rules.FORCED_DELETION_GRACE.total_seconds())} minutes, and its application",
    ],
    "docs/operations/supply-chain.md": [
        f"cluster autoscaler's {word(len(PINNED_IMAGES))}, and for {word(len(PINNED_CHARTS))} of "
        f"{word(len(CATALOG['charts']))} charts",
    ],
    "docs/operations/upgrading.md": [
        f"warns from {versions.WARNING_PERIOD.days} days before support of a version ends, and "
        f"every preview from {parameter('cluster-version-ends-soon', 'days_before_end')}",
    ],
}
"""Page -> what it says, with the numbers put in that are in force."""


@pytest.mark.parametrize("page", SAID)
def test_the_page_has_the_numbers_that_are_in_force(page):
    text = in_one_line((REPOSITORY / page).read_text())

    assert [sentence for sentence in SAID[page] if sentence not in text] == []
