//go:build tools

// Package tools names the program that this module builds, so that go.mod and go.sum pin it.
package tools

import _ "k8s.io/kube-state-metrics/v2"
