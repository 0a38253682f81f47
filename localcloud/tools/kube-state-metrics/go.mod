module moka/tools/kube-state-metrics

go 1.26.0
