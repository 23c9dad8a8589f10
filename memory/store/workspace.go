package store

import (
	"context"
	"errors"
	"fmt"
)

func counterKey() []byte          { return append(Prefix(Meta, 0), 'n') }
func registryPrefix() []byte      { return append(Prefix(Meta, 0), 'w') }
func registryKey(r string) []byte { return AppendString(registryPrefix(), r) }

// WorkspaceInfo is one workspace of the registry.
type WorkspaceInfo struct {
	Number Workspace
	Root   string
}

// Workspace returns the number of the workspace at root; 0 for "". A new number is on disk before
// Workspace returns.
func (s *Store) Workspace(ctx context.Context, root string) (Workspace, error) {
	if root == "" {
		return 0, nil
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ws, ok := s.workspaces[root]; ok {
		return ws, nil
	}
	ws, err := s.registered(registryKey(root))
	if err != nil {
		return 0, err
	}
	if ws == 0 {
		last, err := s.registered(counterKey())
		if err != nil {
			return 0, err
		}
		if ws = last + 1; ws == 0 {
			return 0, errors.New("no number is left for a workspace")
		}
		b := s.NewBatch()
		b.Set(counterKey(), AppendUint32(nil, uint32(ws)))
		b.Set(registryKey(root), AppendUint32(nil, uint32(ws)))
		if err := s.commit(b); err != nil {
			return 0, err
		}
	}
	s.workspaces[root] = ws
	return ws, nil
}

// RenameWorkspace moves the workspace registered at one root to another, if none is registered
// there. It is on disk before RenameWorkspace returns. number is the workspace's, 0 when there is
// none at from; then renamed is false too.
func (s *Store) RenameWorkspace(ctx context.Context, from, to string) (number Workspace, renamed bool, err error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number, err = s.registered(registryKey(from))
	if err != nil || number == 0 {
		return 0, false, err
	}
	other, err := s.registered(registryKey(to))
	if err != nil || other != 0 {
		return number, false, err
	}
	b := s.NewBatch()
	b.Delete(registryKey(from))
	b.Set(registryKey(to), AppendUint32(nil, uint32(number)))
	if err := s.commit(b); err != nil {
		return number, false, err
	}
	delete(s.workspaces, from)
	s.workspaces[to] = number
	return number, true, nil
}

// registered returns the number under a key; 0 when there is none.
func (s *Store) registered(key []byte) (Workspace, error) {
	v, found, err := s.Get(key)
	if err != nil || !found {
		return 0, err
	}
	n, rest, ok := TakeUint32(v)
	if !ok || len(rest) > 0 {
		return 0, s.corrupt(fmt.Errorf("workspace number of %d bytes", len(v)))
	}
	return Workspace(n), nil
}

// Workspaces returns the registry, by root.
func (s *Store) Workspaces() ([]WorkspaceInfo, error) {
	var all []WorkspaceInfo
	prefix := registryPrefix()
	err := s.Scan(prefix, PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		root, _, ok := TakeString(key[len(prefix):])
		n, _, valid := TakeUint32(value)
		if !ok || !valid {
			return false, s.corrupt(fmt.Errorf("registry entry %q", key))
		}
		all = append(all, WorkspaceInfo{Number: Workspace(n), Root: root})
		return true, nil
	})
	return all, err
}

// RemoveWorkspace stages the removal of all data of ws in any space, and of its registry entry; its
// number is never assigned again. For 0 it removes what belongs to no workspace, except the
// registry.
func (s *Store) RemoveWorkspace(b *Batch, ws Workspace) error {
	for space := Meta; space <= lastSpace; space++ {
		if ws == 0 && space == Meta {
			continue
		}
		prefix := Prefix(space, ws)
		b.DeleteRange(prefix, PrefixEnd(prefix))
	}
	if b.notable != nil {
		b.noteWorkspace(ws)
	}
	all, err := s.Workspaces()
	if err != nil {
		return err
	}
	for _, info := range all {
		if info.Number == ws {
			b.Delete(registryKey(info.Root))
			b.removed = append(b.removed, info.Root)
		}
	}
	return nil
}

// forget removes removed workspaces from the cache, once their removal is visible.
func (s *Store) forget(roots []string) {
	if len(roots) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, root := range roots {
		delete(s.workspaces, root)
	}
}
