//go:build tools

// Package tools names the programs that this module builds, so that go.mod and go.sum pin them.
package tools

import (
	_ "github.com/prometheus/prometheus/cmd/prometheus"
	_ "github.com/prometheus/prometheus/cmd/promtool"
)
