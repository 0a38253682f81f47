//go:build tools

// Package tools names the module whose files are copied, so that go.mod and go.sum pin it.
package tools

import _ "github.com/pulumi/pulumi/sdk/v3/go/common/version"
