"""What an API server sends to nodes for the network policies of job namespaces.

The VPC CNI writes the pods that a policy names into PolicyEndpoint objects, writes all of a policy's objects
again as pods come and go, once a second at the most, and sends each to the agent on every node
(docs/network.md has the sources). So it grows with pods times nodes. Nobody has measured it on EKS.
"""

SELECTED_BYTES, PEER_BYTES = 130, 30
"""Of an object's JSON: for a pod that a policy selects, and for one that it lets in or leads to."""

MOST_SENT = 1_250
"""MB a second: 10 Gbit. An estimate of ours: nothing says what API servers of EKS can send. With 300, to
500 nodes, machines dropped packets (aws/aws-network-policy-agent#211)."""

CORES_A_POD = 3
"""Of a machine, for each pod of a job: five executors on 16 cores, as docs/scale.md counts. An estimate."""


def megabytes_a_second(isolated_pods: float, job_pods: float, nodes: int) -> float:
    """MB a second in the busiest second, to all nodes of a cluster.

    isolated_pods: drivers and executors at once in namespaces with policies, which select them and let them
        in. job_pods: all that Celeborn's policy lets in; 0 without Celeborn.
    """
    lists = isolated_pods * (SELECTED_BYTES + PEER_BYTES) + job_pods * PEER_BYTES
    return lists * nodes / 1e6
