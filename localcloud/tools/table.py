"""The tools of the laptop cloud: what they are made from, and which of the machine's own can be used."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from localcloud.tools.traefik_changes import TRAEFIK_CHANGES


@dataclass(frozen=True)
class Patch:
    """Changes to a file of a Go module that is built in; every old text must be there exactly once."""

    module: str
    file: str
    changes: tuple[tuple[str, str], ...]


OWN_PACKAGE = "."
"""The Go package beside go.mod: a main program of ours."""


@dataclass(frozen=True)
class GoProgram:
    """A program, built from a Go package.

    name: of the program.
    pins: folder beside this file whose go.mod and go.sum pin everything that is built in.
    source: Go module that holds the package, or most of it; its version is the tool's.
    package: OWN_PACKAGE is what the folder of pins itself holds.
    variables: string variables that are set when linking; {version}, {major}, {minor} are the tool's.
    patch: changes to a module, to one file of it or to several.
    tags: of the build.
    """

    name: str
    pins: str
    source: str
    package: str
    variables: Mapping[str, str] = field(default_factory=dict)
    patch: Patch | tuple[Patch, ...] | None = None
    # Not in the repr: the keys of programs without tags are as they were before there were any.
    tags: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class GoFiles:
    """Files out of a Go module, as they are.

    copies: pattern of files in the module, and the folder of the tool that they go to.
    """

    pins: str
    source: str
    copies: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PythonFiles:
    """Files out of the source archive of a Python package, as they are.

    pins: folder beside this file whose requirements.txt pins the package by its hash.
    copies: pattern of files in the archive, and the folder of the tool that they go to.
    """

    pins: str
    source: str
    copies: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Versions:
    """Versions of a program on PATH that can be used: from `minimum` on, and older than `below`.

    arguments: make the program print its version.
    companions: other programs that must be on PATH with it.
    """

    arguments: tuple[str, ...]
    minimum: tuple[int, ...]
    below: tuple[int, ...]
    companions: tuple[str, ...] = ()


# Their names and fields are part of the key that tools are kept under: a change of them has all made anew.
Part = GoProgram | GoFiles | PythonFiles


@dataclass(frozen=True)
class Tool:
    """A folder that the laptop cloud needs, with programs or files in it.

    parts: what goes into the folder; the first gives the tool its version.
    programs: those in the folder that people and programs start; none in a folder of files.
    seconds: to make it, after those before it in the table, on two cores.
    size: MiB that it takes.
    scratch: MiB that making it adds to Go's caches, when they are empty.
    installed: versions of the machine's own that can be used; None when only the one made here can.
    lazy: it is made only when somebody names it, as no cloud needs it.
    """

    name: str
    parts: tuple[Part, ...]
    programs: tuple[str, ...]
    seconds: int
    size: int
    scratch: int = 0
    installed: Versions | None = None
    lazy: bool = False


def _kubernetes(name: str) -> GoProgram:
    """A program of Kubernetes' own; it reports a version only if that is set at link time."""
    values = {
        "gitVersion": "{version}",
        "gitMajor": "{major}",
        "gitMinor": "{minor}",
        "gitTreeState": "clean",
    }
    return GoProgram(
        name=name,
        pins="kubernetes",
        source="k8s.io/kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        variables={
            f"{package}.{variable}": value
            for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
            for variable, value in values.items()
        },
    )


def _prometheus(name: str) -> GoProgram:
    """A program of Prometheus' own."""
    return GoProgram(
        name=name,
        pins="prometheus",
        source="github.com/prometheus/prometheus",
        package=f"github.com/prometheus/prometheus/cmd/{name}",
        variables={"github.com/prometheus/common/version.Version": "{version}"},
        # Discovery in some thirty clouds is most of what there is to compile.
        tags=("remove_all_sd",),
    )


def _program(
    part: GoProgram,
    *,
    seconds: int,
    size: int,
    scratch: int,
    installed: Versions | None = None,
    lazy: bool = False,
) -> Tool:
    return Tool(part.name, (part,), (part.name,), seconds, size, scratch, installed, lazy)


def _files(name: str, part: GoFiles | PythonFiles, *, seconds: int, size: int, scratch: int = 0) -> Tool:
    return Tool(name, (part,), (), seconds, size, scratch)


KUBERNETES_MINOR = 35
"""Minor version of Kubernetes 1 that kubernetes/go.mod pins."""

CONTROL_PLANE = Versions(("--version",), (1, KUBERNETES_MINOR), (1, KUBERNETES_MINOR + 1))

LANGUAGE_CHANGES = Patch(
    "github.com/pulumi/pulumi/sdk/v3",
    "python/cmd/pulumi-language-python/main.go",
    (
        (
            "\targs := []string{req.Program}\n",
            "\tprogram := req.Program\n"
            '\tif program == "" {\n\t\tprogram = flag.Lookup("root").Value.String()\n\t}\n'
            "\targs := []string{program}\n",
        ),
    ),
)
"""For providers that are a folder with a PulumiPlugin.yaml: engines later than this host name it as its
root only (`RunPlugin` in langruntime_plugin.go of their SDK)."""

# Rows of one shape. Those of one go.mod are made in this order, so that what they share is compiled once.
_ALL = (
    _program(_kubernetes("kube-apiserver"), seconds=300, size=100, scratch=2600, installed=CONTROL_PLANE),
    _program(
        _kubernetes("kube-controller-manager"), seconds=55, size=90, scratch=500, installed=CONTROL_PLANE
    ),
    _program(_kubernetes("kube-scheduler"), seconds=10, size=70, scratch=50, installed=CONTROL_PLANE),
    _program(
        _kubernetes("kubectl"),
        seconds=25,
        size=76,
        scratch=250,
        # https://kubernetes.io/releases/version-skew-policy/#kubectl
        installed=Versions(("version", "--client"), (1, KUBERNETES_MINOR - 1), (1, KUBERNETES_MINOR + 2)),
    ),
    _program(
        GoProgram("etcd", "kubernetes", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
        seconds=30,
        size=26,
        scratch=150,
        installed=Versions(("--version",), (3, 6), (3, 7)),
    ),
    _program(
        GoProgram(
            "helm",
            "kubernetes",
            "helm.sh/helm/v3",
            "helm.sh/helm/v3/cmd/helm",
            {
                "helm.sh/helm/v3/internal/version.version": "{version}",
                # Charts are rendered for this Kubernetes unless a cluster is asked.
                "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": "1",
                "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": str(KUBERNETES_MINOR),
            },
        ),
        seconds=25,
        size=75,
        scratch=250,
        installed=Versions(("version", "--short"), (3, 17), (4,)),
    ),
    _program(
        GoProgram(
            "yunikorn",
            "yunikorn",
            "github.com/apache/yunikorn-k8shim",
            "github.com/apache/yunikorn-k8shim/pkg/cmd/shim",
            {
                "github.com/apache/yunikorn-k8shim/pkg/conf.buildVersion": "{version}",
                "github.com/apache/yunikorn-k8shim/pkg/conf.isPluginVersion": "false",
            },
            # Its REST API has a fixed port on every interface; two control planes need two, on loopback.
            Patch(
                "github.com/apache/yunikorn-core",
                "pkg/webservice/webservice.go",
                (
                    ("import (\n", 'import (\n\t"cmp"\n'),
                    ('\t"net/http"\n', '\t"net/http"\n\t"os"\n'),
                    ('":9080"', 'cmp.Or(os.Getenv("YUNIKORN_REST_ADDRESS"), ":9080")'),
                ),
            ),
        ),
        seconds=20,
        size=65,
        scratch=150,
    ),
    _program(
        GoProgram(
            "queueconfigchecker",
            "yunikorn",
            "github.com/apache/yunikorn-core",
            "github.com/apache/yunikorn-core/cmd/queueconfigchecker",
        ),
        seconds=5,
        size=12,
        scratch=20,
    ),
    _program(
        GoProgram("kwok", "kubernetes", "sigs.k8s.io/kwok", "sigs.k8s.io/kwok/cmd/kwok"),
        seconds=25,
        size=83,
        scratch=250,
        installed=Versions(("--version",), (0, 8), (0, 9)),
    ),
    _files(
        "kwok-files",
        GoFiles(
            "kubernetes",
            "sigs.k8s.io/kwok",
            (
                ("kustomize/stage/node/fast/node-*.yaml", "stages/node/fast"),
                ("kustomize/stage/node/heartbeat/node-*.yaml", "stages/node/heartbeat"),
                ("kustomize/stage/node/heartbeat-with-lease/node-*.yaml", "stages/node/heartbeat-with-lease"),
                ("kustomize/stage/pod/fast/pod-*.yaml", "stages/pod/fast"),
                ("kustomize/stage/pod/general/pod-*.yaml", "stages/pod/general"),
            ),
        ),
        seconds=1,
        size=1,
        scratch=10,
    ),
    _program(
        GoProgram(
            "spark-operator",
            "kubernetes",
            "github.com/kubeflow/spark-operator/v2",
            "github.com/kubeflow/spark-operator/v2/cmd/operator",
            {"k8s.io/component-base/version.gitVersion": "{version}"},
        ),
        seconds=25,
        size=37,
        scratch=250,
    ),
    _files(
        "spark-operator-files",
        GoFiles(
            "kubernetes",
            "github.com/kubeflow/spark-operator/v2",
            (("config/crd/bases/*.yaml", "crds"),),
        ),
        seconds=1,
        size=2,
        scratch=10,
    ),
    _program(
        GoProgram(
            "traefik",
            "traefik",
            "github.com/traefik/traefik/v3",
            "github.com/traefik/traefik/v3/cmd/traefik",
            {"github.com/traefik/traefik/v3/pkg/version.Version": "{version}"},
            patch=tuple(
                Patch("github.com/traefik/traefik/v3", file, changes)
                for file, changes in TRAEFIK_CHANGES.items()
            ),
        ),
        seconds=160,
        size=93,
        scratch=2000,
    ),
    Tool(
        "pulumi",
        (
            GoProgram(
                "pulumi",
                "pulumi",
                "github.com/pulumi/pulumi/pkg/v3",
                "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
                {"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "{version}"},
            ),
            GoProgram(
                "pulumi-language-python",
                "language",
                "github.com/pulumi/pulumi/sdk/v3",
                "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
                {"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "{version}"},
                patch=LANGUAGE_CHANGES,
            ),
            # Starts policy packs; later SDKs leave that to language hosts later than this one.
            GoFiles(
                "language",
                "github.com/pulumi/pulumi/sdk/v3",
                (("python/dist/pulumi-analyzer-policy-python", "."),),
            ),
            GoFiles(
                "sdk",
                "github.com/pulumi/pulumi/sdk/v3",
                (
                    ("python/cmd/pulumi-language-python-exec", "."),
                    ("python/dist/pulumi-resource-pulumi-python", "."),
                ),
            ),
        ),
        # In one folder, as the engine and the language host look beside themselves for the rest.
        programs=(
            "pulumi",
            "pulumi-language-python",
            "pulumi-language-python-exec",
            "pulumi-resource-pulumi-python",
            "pulumi-analyzer-policy-python",
        ),
        seconds=300,
        size=97,
        scratch=2570,
        installed=Versions(("version",), (3, 200), (4,), companions=("pulumi-language-python",)),
    ),
    _program(_prometheus("promtool"), seconds=150, size=110, scratch=1200, lazy=True),
    _program(_prometheus("prometheus"), seconds=60, size=150, scratch=400, lazy=True),
    _program(
        GoProgram(
            "collector",
            "collector",
            "go.opentelemetry.io/collector/otelcol",
            OWN_PACKAGE,
            {"main.version": "{version}"},
            tags=("remove_all_sd", "enable_kubernetes_sd"),
        ),
        seconds=360,
        size=150,
        scratch=2000,
        lazy=True,
    ),
    _program(
        GoProgram(
            "kube-state-metrics",
            "kube-state-metrics",
            "k8s.io/kube-state-metrics/v2",
            "k8s.io/kube-state-metrics/v2",
        ),
        seconds=80,
        size=60,
        scratch=800,
        lazy=True,
    ),
    _program(
        GoProgram("coredns", "coredns", "github.com/coredns/coredns", OWN_PACKAGE),
        seconds=100,
        size=60,
        scratch=900,
        lazy=True,
    ),
    # Language hosts of programs that are not in Python, of the versions that the module proxy has.
    _program(
        GoProgram(
            "pulumi-language-yaml",
            "yaml",
            "github.com/pulumi/pulumi-yaml",
            "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        ),
        seconds=120,
        size=45,
        scratch=900,
        lazy=True,
    ),
    _program(
        GoProgram(
            "pulumi-language-nodejs",
            "nodejs",
            "github.com/pulumi/pulumi/sdk/v3",
            "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
        ),
        seconds=40,
        size=30,
        scratch=500,
        lazy=True,
    ),
    _files(
        "spark",
        PythonFiles("spark", "pyspark", (("deps/bin/*", "bin"), ("deps/jars/*", "jars"))),
        seconds=40,
        size=960,
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}
