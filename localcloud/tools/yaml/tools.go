//go:build tools

// Package tools names the program that this module builds, so that go.mod and go.sum pin it.
package tools

import _ "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
