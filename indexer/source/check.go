package source

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// A Check reads admitted files by the rules as they are on disk now: it first reloads rule files
// that have changed since they were read. It is made for one request, checks each folder's rule
// files once, and is not safe for concurrent use. A nested repository's exclude file and index
// count as of the last Reload.
type Check struct {
	t    *Tree
	r    *rules
	same map[string]bool // folders whose rule files are unchanged since they were read
}

// NewCheck returns a check for one request. It reloads the rules if a rule file outside the root
// has changed.
func (t *Tree) NewCheck() *Check {
	c := &Check{t: t}
	c.take()
	for i, file := range c.r.outside {
		if stampOutside(file) != c.r.stamps[i] {
			c.renew()
			break
		}
	}
	return c
}

// Read is like Tree.Read, but returns the reason Ignored for a file that the rules on disk do not
// admit. The text must not be changed: it is kept for the next request, which reads the file again
// only if its stat or the rules changed.
func (c *Check) Read(rel string) ([]byte, Reason, error) {
	if text := c.kept(rel); text != nil {
		return text, Indexed, nil
	}
	rules := c.t.rules.Load()
	text, entry, reason, err := c.t.Read(rel)
	switch {
	case reason != Indexed || err != nil:
		return text, reason, err
	case !c.admits(&entry):
		return nil, Ignored, nil
	}
	// Without its number, a file that was replaced may have the stat of the one that was read.
	if c.r == rules && entry.Inode != 0 && !entry.Link && c.t.opts.Now != nil && Settled(entry.Changed, c.t.opts.Now()) {
		c.t.texts.put(&keptText{text, entry, rules})
	}
	return text, Indexed, nil
}

// kept returns the text that reading a file would return, nil if the file has to be read.
func (c *Check) kept(rel string) []byte {
	k := c.t.texts.get(rel)
	if k == nil {
		return nil
	}
	if st, err := c.t.root.lstat(rel); err != nil || !st.isRegular() || st.entry(rel) != k.entry || !c.admits(&k.entry) || c.r != k.rules {
		return nil
	}
	return k.text
}

// admits reports whether the current rules admit a file that was read.
func (c *Check) admits(e *Entry) bool {
	if !c.unchanged(parentOf(e.Path)) {
		c.renew()
	}
	if e.Link {
		return c.r.admit(e.Path)
	}
	return c.r.verdict(e.Path, false).reason == Indexed
}

func (c *Check) take() { c.r, c.same = c.t.rules.Load(), map[string]bool{} }

// renew reloads the rules unless another goroutine has done so since c took them.
func (c *Check) renew() {
	if c.t.rules.Load() == c.r {
		c.t.Reload()
	}
	c.take()
}

// unchanged reports whether the rule files of a folder and of its parents are the ones that were
// read.
func (c *Check) unchanged(dir string) bool {
	for at := 0; ; {
		if !c.unchangedIn(dir[:at]) {
			return false
		}
		if at == len(dir) {
			return true
		}
		if next := strings.IndexByte(dir[at+1:], '/'); next >= 0 {
			at += 1 + next
		} else {
			at = len(dir)
		}
	}
}

func (c *Check) unchangedIn(dir string) bool {
	if c.same[dir] {
		return true
	}
	c.r.mu.RLock()
	f := c.r.folders[dir]
	c.r.mu.RUnlock()
	if f != nil && f.stamps != nil && c.t.ruleStamps(dir) != *f.stamps {
		return false
	}
	c.same[dir] = true // one that was not read will be
	return true
}

// A stamp identifies one state of a file; the zero stamp means that the file does not exist. Two
// changes within the resolution of the clock that keep the size have equal stamps; the watcher
// reports those.
type stamp struct {
	mtime, size int64
	ino         uint64
}

// ruleStamps are the stamps of a folder's own rule files.
type ruleStamps [len(ruleNames)]stamp

func stampOf(st stat, err error) stamp {
	if err != nil {
		return stamp{}
	}
	return stamp{st.mtime.UnixNano(), st.size, st.ino}
}

// stampOutside returns the stamp of a rule file by its absolute path.
func stampOutside(file string) stamp { return stampOf(statOutside(file)) }

// ruleStamps returns the stamps of a folder's rule files. It follows links on the way to the
// folder, since it only compares: behind a link are other files, with other stamps.
func (t *Tree) ruleStamps(dir string) (out ruleStamps) {
	for i, name := range ruleNames {
		st, err := lstatOutside(filepath.Join(t.root.path, filepath.FromSlash(dir), name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // such as for a path that is too long for one call
			st, err = t.root.lstat(path.Join(dir, name))
		}
		out[i] = stampOf(st, err)
	}
	return out
}
