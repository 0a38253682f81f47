"""What is changed in Traefik for the laptop: file of its module -> old texts, and what takes their places.

It is built without what the module proxy lacks: libraries of the DNS providers that prove a name to a
certificate authority, and two empty types that a distribution may add fields by. And without what takes
longest to compile and is off: the provider for ECS, and what plugins may import.
"""

from collections.abc import Mapping

TRAEFIK_CHANGES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "pkg/provider/acme/provider.go": (
        ('\t"github.com/go-acme/lego/v5/providers/dns"\n', ""),
        (
            "dns.NewDNSChallengeProviderByName(p.DNSChallenge.Provider)",
            'nil, errors.New("this build has no DNS providers")',
        ),
    ),
    "pkg/config/dynamic/http_config.go": (
        ('\t"github.com/traefik/traefik/dynamic/ext"\n', ""),
        ('\text.HTTP `yaml:",inline"`\n', ""),
        ('\text.Router `yaml:",inline"`\n', ""),
    ),
    "pkg/config/dynamic/zz_generated.deepcopy.go": (
        ("\tout.HTTP = in.HTTP\n", ""),
        ("\tout.Router = in.Router\n", ""),
    ),
    "pkg/config/static/static_config.go": (
        ('\t"github.com/traefik/traefik/v3/pkg/provider/ecs"\n', ""),
        ("\tecs.ProviderName,\n", ""),
        ("*ecs.Provider", "*struct{}"),
    ),
    "pkg/provider/aggregator/aggregator.go": (("p.quietAddProvider(conf.Ecs)", ""),),
    "pkg/plugins/middlewareyaegi.go": (
        ('\t"github.com/traefik/yaegi/stdlib"\n', ""),
        ('\t"github.com/traefik/yaegi/stdlib/syscall"\n', ""),
        ('\t"github.com/traefik/yaegi/stdlib/unsafe"\n', ""),
        ("stdlib.Symbols", "interp.Exports{}"),
        ("unsafe.Symbols", "interp.Exports{}"),
        ("syscall.Symbols", "interp.Exports{}"),
    ),
}
