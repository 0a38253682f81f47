//go:build tools

// Package tools names the programs that this module builds, so that go.mod and go.sum pin them.
package tools

import (
	_ "github.com/traefik/traefik/v3/cmd/traefik"
)
