// The OpenTelemetry Collector with the parts that the configurations of this project name.
//
// All are of the newest release of which module proxies have every part. They have k8sobjects of none, and
// of sigv4auth no checksum: tests/support/collectors.py leaves these out.
package main

import (
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusremotewriteexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/healthcheckextension"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/k8sleaderelector"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/filterprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/k8sattributesprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/metricstransformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/hostmetricsreceiver"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/kubeletstatsreceiver"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/memorylimiterprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

var version string // set when linking

func main() {
	settings := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: version},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{
					envprovider.NewFactory(),
					fileprovider.NewFactory(),
					yamlprovider.NewFactory(),
				},
			},
		},
	}
	// The command says itself what went wrong.
	if otelcol.NewCommand(settings).Execute() != nil {
		os.Exit(1)
	}
}

func factories() (otelcol.Factories, error) {
	return otelcol.Factories{
		Telemetry: otelconftelemetry.NewFactory(),
		Extensions: byType[extension.Factory](
			filestorage.NewFactory(),
			healthcheckextension.NewFactory(),
			k8sleaderelector.NewFactory(),
		),
		Receivers: byType[receiver.Factory](
			hostmetricsreceiver.NewFactory(),
			kubeletstatsreceiver.NewFactory(),
			otlpreceiver.NewFactory(),
			prometheusreceiver.NewFactory(),
		),
		Processors: byType[processor.Factory](
			filterprocessor.NewFactory(),
			k8sattributesprocessor.NewFactory(),
			memorylimiterprocessor.NewFactory(),
			metricstransformprocessor.NewFactory(),
			transformprocessor.NewFactory(),
		),
		Exporters: byType[exporter.Factory](
			debugexporter.NewFactory(),
			otlpexporter.NewFactory(),
			otlphttpexporter.NewFactory(),
			prometheusremotewriteexporter.NewFactory(),
		),
	}, nil
}

// By their names, former ones among them.
func byType[T component.Factory](parts ...T) map[component.Type]T {
	all, err := otelcol.MakeFactoryMap(parts...)
	if err != nil {
		panic(err)
	}
	return all
}
