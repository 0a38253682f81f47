"""Names of namespaces that more than their own layer knows: network policies let them in, or out to them."""

CELEBORN = "celeborn"
DRIVER_FINALIZER = "driver-finalizer"
INGRESS = "ingress-nginx"
MONITORING = "monitoring"
SPARK_OPERATOR = "spark-operator"
SYSTEM = "kube-system"
