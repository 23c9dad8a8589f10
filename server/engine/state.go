package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
)

// The contents of the state directory besides memory: indexes, which may be removed at any time,
// since they are made again from their workspaces.

const (
	// noteFile, in the folder of an index, names its workspace; its modification time is that of
	// the last use.
	noteFile = "workspace.json"
	// orphanAge is how long after its last use an index without its workspace is removed.
	orphanAge = 30 * 24 * time.Hour
)

// indexNote is the content of noteFile.
type indexNote struct {
	Root string `json:"root"`
}

// StoredIndex is an index in the state directory.
type StoredIndex struct {
	// Name is the name of its folder, and Dir the folder itself.
	Name, Dir string
	// Root is the workspace; "" when unknown, for an index last used by an older version.
	Root string
	// Gone means that the workspace does not exist.
	Gone bool
	// Open means that this process has it open for a session.
	Open bool
	// Bytes on disk.
	Bytes int64
	// LastUsed is when a session last began or ended with it.
	LastUsed time.Time
}

// note records the workspace of an index's folder, and that it is used now. It only logs a failure,
// so that an index is not refused for it.
func (p *IndexPool) note(name, root string) {
	text, err := json.Marshal(indexNote{root})
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, name, noteFile), append(text, '\n'), 0o600)
	}
	if err != nil {
		p.log.Debug("record the workspace of an index", "err", err)
	}
}

// used records that an index was used now.
func (p *IndexPool) used(name string) {
	now := p.now()
	if err := os.Chtimes(filepath.Join(p.dir, name, noteFile), now, now); err != nil {
		p.log.Debug("record the use of an index", "err", err)
	}
}

// StoredIndexes lists the indexes in the state directory, the most recently used first.
func (v *Engine) StoredIndexes() ([]StoredIndex, error) {
	p := v.Indexes
	entries, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	var out []StoredIndex
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, p.stored(e.Name()))
		}
	}
	slices.SortFunc(out, func(a, b StoredIndex) int { return cmp.Or(b.LastUsed.Compare(a.LastUsed), cmp.Compare(a.Name, b.Name)) })
	return out, nil
}

// stored describes the index of a folder.
func (p *IndexPool) stored(name string) StoredIndex {
	s := StoredIndex{Name: name, Dir: filepath.Join(p.dir, name), Bytes: treeBytes(filepath.Join(p.dir, name))}
	path := filepath.Join(s.Dir, noteFile)
	for _, file := range []string{path, s.Dir} {
		if info, err := os.Stat(file); err == nil {
			s.LastUsed = info.ModTime()
			break
		}
	}
	var note indexNote
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &note) == nil && filepath.IsAbs(note.Root) {
		s.Root = note.Root
		_, err := os.Stat(s.Root)
		s.Gone = errors.Is(err, fs.ErrNotExist)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.open[name]
	s.Open = e != nil && e.refs > 0
	return s
}

// treeBytes returns the size of the files below a folder, without those that cannot be read.
func treeBytes(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// RemoveIndex removes the index of a folder in the state directory. It fails while a session or
// another process has it open.
func (v *Engine) RemoveIndex(name string) error {
	p := v.Indexes
	if !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return fmt.Errorf("remove index %q: it is not the name of an index", name)
	}
	p.mu.Lock()
	e := p.open[name]
	switch {
	case e == nil:
	case e.kept != nil:
		e.kept.Stop()
		e.kept = nil
		go p.end(name, e)
	case e.refs > 0:
		p.mu.Unlock()
		return fmt.Errorf("remove index %s: an editor or an assistant has it open", name)
	}
	p.mu.Unlock()
	if e != nil {
		<-e.gone
	}
	return store.Remove(filepath.Join(p.dir, name))
}

// RemoveOrphans removes the indexes whose workspaces no longer exist and that were not used for
// thirty days. It returns those that it removed.
func (v *Engine) RemoveOrphans() (removed []StoredIndex, err error) {
	list, err := v.StoredIndexes()
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if !s.Gone || s.Open || v.Now().Sub(s.LastUsed) < orphanAge {
			continue
		}
		if failed := v.RemoveIndex(s.Name); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		v.Log.Info("removed an index whose workspace is gone", "root", s.Root, "index", s.Name)
		removed = append(removed, s)
	}
	return removed, err
}
