from components.kubernetes.history_server import (
    HistoryServer,
    HistoryServerArgs,
    download_script,
    spark_defaults,
)
from moka.catalog import Jar


def deploy_server(deploy, catalog, **changes):
    usual = {
        "catalog": catalog,
        "namespace": "history",
        "bucket": "moka-event-logs",
        "region": "us-east-1",
        "host": "history.spark.example",
        "ingress_class": "nginx",
    }
    return deploy(lambda: HistoryServer("spark-a-history", HistoryServerArgs(**{**usual, **changes})))


def settings(stack):
    [files] = stack.inputs("kubernetes:core/v1:ConfigMap")
    return dict(line.split(" ", 1) for line in files["data"]["spark-defaults.conf"].splitlines())


def test_it_reads_the_event_logs_of_the_bucket(deploy, catalog):
    read = settings(deploy_server(deploy, catalog))

    assert read["spark.history.fs.logDirectory"] == "s3a://moka-event-logs/"
    assert read["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1"


def test_a_prefix_narrows_what_it_reads(deploy, catalog):
    read = settings(deploy_server(deploy, catalog, prefix="prod/"))

    assert read["spark.history.fs.logDirectory"] == "s3a://moka-event-logs/prod/"


def test_it_never_falls_back_to_the_permissions_of_its_node(deploy, catalog):
    provider = settings(deploy_server(deploy, catalog))["spark.hadoop.fs.s3a.aws.credentials.provider"]

    assert provider.endswith(".ContainerCredentialsProvider")


def test_its_pods_run_with_the_account_that_gets_the_permissions(deploy, catalog):
    stack = deploy_server(deploy, catalog)

    [account] = stack.inputs("kubernetes:core/v1:ServiceAccount")
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == account["metadata"]["name"] == "history-server"


def test_it_is_reached_by_its_host(deploy, catalog):
    [ingress] = deploy_server(deploy, catalog).inputs("kubernetes:networking.k8s.io/v1:Ingress")

    assert ingress["spec"]["ingressClassName"] == "nginx"
    [rule] = ingress["spec"]["rules"]
    assert rule["host"] == "history.spark.example"
    assert rule["http"]["paths"][0]["path"] == "/"


def test_its_limits_leave_room_beside_the_heap(deploy, catalog):
    [deployment] = deploy_server(deploy, catalog, heap_gib=12).inputs("kubernetes:apps/v1:Deployment")

    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"memory": "24Gi"}
    assert {"name": "SPARK_DAEMON_MEMORY", "value": "12g"} in container["env"]


def test_the_store_fits_on_its_disk():
    text = spark_defaults("s3a://b/", "us-east-1", memory_gib=6, disk_gib=20)

    assert "spark.history.store.maxDiskUsage 20g\n" in text
    assert "spark.history.store.hybridStore.maxMemoryUsage 6g\n" in text


def test_a_jar_that_is_not_what_was_pinned_stops_the_pod(catalog):
    script = download_script([Jar(url="https://jars.example/a-1.jar", sha256="abc")])

    assert "wget --no-verbose --output-document a-1.jar https://jars.example/a-1.jar" in script
    assert script.endswith("&& echo 'abc  a-1.jar' | sha256sum --check")


def test_the_jars_of_s3a_are_added(deploy, catalog):
    [deployment] = deploy_server(deploy, catalog).inputs("kubernetes:apps/v1:Deployment")

    [jars] = deployment["spec"]["template"]["spec"]["initContainers"]
    assert "hadoop-aws-3.4.2.jar" in jars["args"][-1]
    [server] = deployment["spec"]["template"]["spec"]["containers"]
    assert {"name": "SPARK_DAEMON_CLASSPATH", "value": "/opt/moka/jars/*"} in server["env"]
