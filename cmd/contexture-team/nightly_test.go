//go:build nightly

package main

import "testing"

// TestManyFaults disturbs a cluster 200 times, which takes half an hour.
func TestManyFaults(t *testing.T) {
	faults(t, 200, "kill", "kill", "kill", "kill all", "isolate", "hold", "full", "full all")
}
