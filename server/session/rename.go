package session

import (
	"context"
	"encoding/json"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport"
)

// renamedParams are those of workspace/didRenameFiles.
type renamedParams struct {
	Files []struct {
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`
}

// rename is a file or folder below a root that has another path now.
type rename struct{ from, to string }

// didRenameFiles keeps what was said about renamed files. The caller must hold mu.
func (s *Session) didRenameFiles(raw json.RawMessage) error {
	var p renamedParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	for _, r := range s.roots {
		var list []rename
		for _, f := range p.Files {
			from, inside := r.below(f.OldURI)
			to, stays := r.below(f.NewURI)
			if inside && stays && from != "." && to != "." {
				list = append(list, rename{from, to})
			}
		}
		s.renameLocked(r, list)
	}
	return nil
}

// below returns the path of a document relative to the root, however the client spells it; "." for
// the root itself.
func (r *Root) below(uri string) (string, bool) {
	path, ok := transport.FilePath(uri)
	if !ok {
		return "", false
	}
	return engine.Below(path, r.Path, r.Real)
}

// renameLocked records renames in memory, in the background and in order: later requests wait for
// it, see AwaitRenames. The caller must hold mu.
func (s *Session) renameLocked(r *Root, list []rename) {
	if len(list) == 0 || !r.settings.Enabled || !r.settings.Memory.Enabled {
		return
	}
	before, done := s.renaming, make(chan struct{})
	s.renaming = done
	path := r.Path
	s.tasks.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		if err := noteRenames(s.ctx, s.engine, path, list); err != nil && s.ctx.Err() == nil {
			s.Log.Warn("renamed files not followed: conversations keep their old names", "err", err)
		}
	})
}

// noteRenames records renames in the memory of a root.
func noteRenames(ctx context.Context, e *engine.Engine, root string, list []rename) error {
	w, err := e.Memory(ctx, root)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := w.RenameFile(f.from, f.to); err != nil {
			return err
		}
	}
	return nil
}

// noticeRenames records the renames that a root's index has detected. They stay in the index while
// memory is off.
func (r *Root) noticeRenames(o *Opening) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.settings.Memory.Enabled {
		return
	}
	var list []rename
	for _, f := range o.index.TakeRenames() {
		list = append(list, rename{f.From, f.To})
	}
	s.renameLocked(r, list)
}

// AwaitRenames blocks until the renames before the view are recorded.
func (v *View) AwaitRenames(ctx context.Context) error {
	if v.renaming == nil {
		return nil
	}
	select {
	case <-v.renaming:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
