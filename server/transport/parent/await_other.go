//go:build !linux && !windows

package parent

import "context"

// awaitEnd is not supported on this system.
func awaitEnd(context.Context, int) (gone, known bool) { return false, false }
