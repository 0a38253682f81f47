//go:build tools

// Package tools names the programs that this module builds, so that go.mod and go.sum pin them.
package tools

import (
	_ "github.com/apache/yunikorn-core/cmd/queueconfigchecker"
	_ "github.com/apache/yunikorn-k8shim/pkg/cmd/shim"
)
