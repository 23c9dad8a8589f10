package server

import (
	"context"
	"encoding/json"
)

// renamedParams are those of workspace/didRenameFiles.
type renamedParams struct {
	Files []struct {
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`
}

// renamed is a file or folder below a root that has another path now.
type renamed struct{ from, to string }

// didRenameFiles lets renamed files keep what was said of them. mu is held.
func (s *Session) didRenameFiles(raw json.RawMessage) error {
	var p renamedParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	for _, r := range s.roots {
		var list []renamed
		for _, f := range p.Files {
			from, inside := r.below(f.OldURI)
			to, stays := r.below(f.NewURI)
			if inside && stays && from != "." && to != "." {
				list = append(list, renamed{from, to})
			}
		}
		s.renameLocked(r, list)
	}
	return nil
}

// below gives the path of a document below the root, however the client names that; "." for the root itself.
func (r *root) below(uri string) (string, bool) {
	path, ok := filePath(uri)
	if !ok {
		return "", false
	}
	return below(path, r.path, r.real)
}

// renameLocked notes renames in memory, in the background and in their order: requests that come after them wait for
// it, see awaitRenames. mu is held.
func (s *Session) renameLocked(r *root, list []renamed) {
	if len(list) == 0 || !r.settings.Enabled || !r.settings.Memory.Enabled {
		return
	}
	before, done := s.renaming, make(chan struct{})
	s.renaming = done
	path := r.path
	s.tasks.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		if err := s.server.rename(s.ctx, path, list); err != nil && s.ctx.Err() == nil {
			s.log.Warn("renamed files: what was said of them stays under their old names", "err", err)
		}
	})
}

// rename notes renames in the memory of a root.
func (v *Server) rename(ctx context.Context, root string, list []renamed) error {
	w, err := v.Memory(ctx, root)
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

// noticeRenames notes the renames that a root's index has seen. They stay with the index while memory is off.
func (r *root) noticeRenames(o *opening) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.settings.Memory.Enabled {
		return
	}
	var list []renamed
	for _, f := range o.index.TakeRenames() {
		list = append(list, renamed{f.From, f.To})
	}
	s.renameLocked(r, list)
}

// awaitRenames waits until the renames that came before the view are noted.
func (v *view) awaitRenames(ctx context.Context) error {
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
