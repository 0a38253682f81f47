"""The Spark History Server: the UI of finished jobs, from their event logs in S3."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.checksum import CHECKSUM, checksum
from components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from components.kubernetes.security_context import container_security_context, pod_security_context
from components.kubernetes.single_pod import single_pod
from components.ordering import after, known_after
from moka.catalog import Catalog, Jar

SERVICE_ACCOUNT = "history-server"
"""Whose pods must be allowed to read the bucket, before they start."""

UI_PORT = 18080
UID = 185
JARS_FOLDER = "/opt/moka/jars"
STORE_FOLDER = "/var/lib/history"


@dataclass(frozen=True, kw_only=True)
class HistoryServerArgs:
    """What differs between environments.

    bucket, region: where the event logs are.
    prefix: of the event logs' keys; empty for the whole bucket. Something must be under it.
    host: name that the UI is reached by.
    ingress_class: class of its Ingress.
    cpu: cores, as a Kubernetes quantity.
    heap_gib, store_gib: memory of the JVM (half of it for applications being read), and disk that read
    applications are kept on.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    bucket: pulumi.Input[str]
    region: str
    host: str
    ingress_class: pulumi.Input[str]
    prefix: str = ""
    cpu: str = "2"
    heap_gib: int = 12
    store_gib: int = 25


class HistoryServer(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:HistoryServer`.

    Makes: ServiceAccount, ConfigMap, Deployment, Service and Ingress, all called `history-server`.
    Outputs: `url`, known only once it serves within the cluster.
    """

    url: pulumi.Output[str]

    def __init__(
        self, name: str, args: HistoryServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:HistoryServer", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/name": "history-server"}
        metadata = k8s.meta.v1.ObjectMetaArgs(name="history-server", namespace=args.namespace, labels=labels)

        account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
        files = pulumi.Output.from_input(args.bucket).apply(
            lambda bucket: {
                "spark-defaults.conf": spark_defaults(
                    log_folder=f"s3a://{bucket}/{args.prefix}",
                    region=args.region,
                    memory_gib=args.heap_gib // 2,
                    disk_gib=args.store_gib - 5,
                )
            }
        )
        configuration = k8s.core.v1.ConfigMap(name, metadata=metadata, data=files, opts=child)
        # Two at once are twice the memory, and read everything twice.
        annotations = {CHECKSUM: files.apply(checksum)}
        opts = after(child, account, configuration)
        deployment = single_pod(name, metadata, annotations, _pod(args), opts)
        service = k8s.core.v1.Service(
            name,
            metadata=metadata,
            spec=k8s.core.v1.ServiceSpecArgs(
                selector=labels,
                ports=[k8s.core.v1.ServicePortArgs(name="http", port=UI_PORT, target_port="http")],
            ),
            opts=child,
        )
        k8s.networking.v1.Ingress(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name="history-server",
                namespace=args.namespace,
                labels=labels,
                # Whether its class is served is another layer's business.
                annotations={"pulumi.com/skipAwait": "true"},
            ),
            spec=k8s.networking.v1.IngressSpecArgs(
                ingress_class_name=args.ingress_class,
                rules=[
                    k8s.networking.v1.IngressRuleArgs(
                        host=args.host,
                        http=k8s.networking.v1.HTTPIngressRuleValueArgs(
                            paths=[
                                k8s.networking.v1.HTTPIngressPathArgs(
                                    path="/",
                                    path_type="Prefix",
                                    backend=k8s.networking.v1.IngressBackendArgs(
                                        service=k8s.networking.v1.IngressServiceBackendArgs(
                                            name="history-server",
                                            port=k8s.networking.v1.ServiceBackendPortArgs(name="http"),
                                        )
                                    ),
                                )
                            ]
                        ),
                    )
                ],
            ),
            opts=child,
        )

        self.url = known_after(f"http://{args.host}", deployment.id, service.id)
        self.register_outputs({"url": self.url})


def _pod(args: HistoryServerArgs) -> k8s.core.v1.PodSpecArgs:
    image = args.catalog.image("spark")
    jars = k8s.core.v1.VolumeMountArgs(name="jars", mount_path=JARS_FOLDER)
    return k8s.core.v1.PodSpecArgs(
        service_account_name=SERVICE_ACCOUNT,
        node_selector=node_selector("system"),
        tolerations=tolerations("system"),
        priority_class_name=PLATFORM_PRIORITY,
        security_context=pod_security_context(UID, fs_group=UID),
        init_containers=[
            k8s.core.v1.ContainerArgs(
                name="jars",
                image=image,
                args=["/bin/bash", "-c", download_script(args.catalog.jars.values())],
                security_context=container_security_context(),
                volume_mounts=[jars],
            )
        ],
        containers=[
            k8s.core.v1.ContainerArgs(
                name="history-server",
                image=image,
                args=["/opt/spark/bin/spark-class", "org.apache.spark.deploy.history.HistoryServer"],
                env=[
                    k8s.core.v1.EnvVarArgs(name=key, value=value)
                    for key, value in {
                        "SPARK_DAEMON_MEMORY": f"{args.heap_gib}g",
                        "SPARK_DAEMON_CLASSPATH": f"{JARS_FOLDER}/*",
                    }.items()
                ],
                ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=UI_PORT)],
                readiness_probe=k8s.core.v1.ProbeArgs(
                    http_get=k8s.core.v1.HTTPGetActionArgs(path="/", port="http")
                ),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={
                        "cpu": args.cpu,
                        "memory": f"{args.heap_gib + 4}Gi",
                        "ephemeral-storage": f"{args.store_gib}Gi",
                    },
                    limits={"memory": f"{args.heap_gib * 2}Gi"},
                ),
                security_context=container_security_context(),
                volume_mounts=[
                    jars,
                    k8s.core.v1.VolumeMountArgs(name="conf", mount_path="/opt/spark/conf"),
                    k8s.core.v1.VolumeMountArgs(name="store", mount_path=STORE_FOLDER),
                ],
            )
        ],
        volumes=[
            k8s.core.v1.VolumeArgs(
                name="conf", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name="history-server")
            ),
            k8s.core.v1.VolumeArgs(
                name="jars", empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(size_limit="2Gi")
            ),
            k8s.core.v1.VolumeArgs(
                name="store",
                empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(size_limit=f"{args.store_gib}Gi"),
            ),
        ],
    )


def spark_defaults(log_folder: str, region: str, memory_gib: int, disk_gib: int) -> str:
    """The text of `spark-defaults.conf`."""
    settings: Mapping[str, str] = {
        "spark.history.fs.logDirectory": log_folder,
        "spark.history.ui.port": str(UI_PORT),
        "spark.history.fs.update.interval": "30s",
        # What is too old is removed by the bucket.
        "spark.history.fs.cleaner.enabled": "false",
        "spark.history.store.path": STORE_FOLDER,
        "spark.history.store.maxDiskUsage": f"{disk_gib}g",
        "spark.history.store.hybridStore.enabled": "true",
        "spark.history.store.hybridStore.maxMemoryUsage": f"{memory_gib}g",
        "spark.hadoop.fs.s3a.endpoint.region": region,
        # Only Pod Identity: not the node's permissions when it does not answer.
        "spark.hadoop.fs.s3a.aws.credentials.provider": (
            "software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider"
        ),
    }
    return "".join(f"{key} {value}\n" for key, value in settings.items())


def download_script(jars: Iterable[Jar]) -> str:
    """Shell script that downloads jars, and fails when one is not what was pinned."""
    steps = [f"cd {JARS_FOLDER}"]
    for jar in jars:
        file = jar.url.rpartition("/")[2]
        steps += [
            f"wget --no-verbose --output-document {file} {jar.url}",
            f"echo '{jar.sha256}  {file}' | sha256sum --check",
        ]
    return " && ".join(steps)
