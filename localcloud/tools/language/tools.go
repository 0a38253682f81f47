//go:build tools

// Package tools names the programs that this module builds, so that go.mod and go.sum pin them.
package tools

import _ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
