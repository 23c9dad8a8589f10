package server

import (
	"context"

	"github.com/contexture-dev/contexture/memory"
)

// Memory opens the memory of a root without a session. It belongs to the server, which closes it. Errors are answers of
// the contract: they name the folder and say what to do.
func (v *Server) Memory(ctx context.Context, root string) (*memory.Workspace, error) {
	m, err := v.memory.get(ctx)
	if err != nil {
		return nil, memoryError(err)
	}
	set, _ := v.Settings(root, SessionOptions{})
	real, home := v.roots.of(root), v.roots.home(root)
	v.scanners.standIn(home, v.scanners.of(set.Secrets.Allow))
	w, err := m.Workspace(ctx, home, real, root)
	if err == nil {
		err = m.Joined(ctx)
	}
	return w, memoryError(err)
}
