//go:build !linux

package daemon

import "errors"

// movedFrom is not supported on this system.
func movedFrom(string) (<-chan struct{}, func(), error) { return nil, nil, errors.ErrUnsupported }
