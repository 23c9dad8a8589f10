package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// StateMarker is the name of the file that marks a folder as a state directory of Contexture, so
// that the index of another process skips it too, under any path.
const StateMarker = ".contexture-state"

const stateText = "Contexture keeps indexes and memory in this folder. An index of files leaves a folder with this file out.\n"

// MarkState creates the marker in a state directory that has none.
func MarkState(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, StateMarker), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = file.WriteString(stateText)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("mark state directory: %w", err)
	}
	return nil
}

// ErrOwn is wrapped by Open's error for a root inside one of Options.Own: choose another folder.
var ErrOwn = errors.New("which the program itself writes")

// setOwn computes which of Options.Own are inside the root, by name and with links resolved.
func (t *Tree) setOwn() error {
	for _, path := range t.opts.Own {
		if !filepath.IsAbs(path) {
			continue
		}
		if _, in := below(resolved(path), t.root.path); in {
			return fmt.Errorf("open workspace %s: it lies in %s, %w; choose another folder", t.given, path, ErrOwn)
		}
		for _, name := range []string{filepath.Clean(path), resolved(path)} {
			if rel, in := t.Rel(name); in && rel != "" && !slices.Contains(t.own, rel) {
				t.own = append(t.own, rel)
			}
		}
	}
	return nil
}

// ownRule returns the rule for a path that the program writes to, or nil.
func (t *Tree) ownRule(rel string) *Rule {
	if !slices.Contains(t.own, rel) {
		return nil
	}
	return &Rule{Pattern: rel + " (written by Contexture itself; never indexed, whatever index.include says)", Source: builtIn}
}

// stateRule returns the rule for a folder that contains the marker, or nil.
func stateRule(rel string, names []string) *Rule {
	if !slices.Contains(names, StateMarker) {
		return nil
	}
	return &Rule{
		Pattern: baseName(rel) + "/ (a state directory of Contexture: it holds " + StateMarker + "; never indexed, whatever index.include says)",
		Source:  builtIn,
	}
}
