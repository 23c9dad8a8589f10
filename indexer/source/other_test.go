//go:build !linux

package source

import "testing"

// asOther runs fn; tests do not run as root here.
func asOther(_ *testing.T, fn func()) { fn() }
