package memory

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnknownRoot means that nothing is stored of a root.
var ErrUnknownRoot = errors.New("nothing is remembered of this folder")

// Holding lists the roots for which keep returns true and about which something is stored, in
// order. It does not open their workspaces.
func (m *Memory) Holding(ctx context.Context, keep func(root string) bool) (roots []string, err error) {
	all, err := m.store.Workspaces()
	if err != nil {
		return nil, fmt.Errorf("list the roots of the memory: %w", err)
	}
	for _, known := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !keep(known.Root) {
			continue
		}
		w := m.workspaceOf(known.Number, known.Root)
		v := w.View()
		s, err := v.Stats()
		v.Close()
		if err != nil {
			return nil, fmt.Errorf("count what is stored of %q: %w", known.Root, err)
		}
		if !s.Empty() {
			roots = append(roots, known.Root)
		}
	}
	return roots, nil
}

// Adopt makes what is stored of another root a part of this one and blocks until it is. The caller
// must know that the other root is not in use. Error: ErrUnknownRoot.
func (m *Memory) Adopt(ctx context.Context, root, other string) error {
	known, err := m.Holding(ctx, func(r string) bool { return r == other && r != root })
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return ErrUnknownRoot
	}
	if _, err := m.Workspace(ctx, root, other); err != nil {
		return err
	}
	return m.Joined(ctx)
}
