package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// StateMarker is the file that marks a folder as one that Contexture writes its state to, so that
// an index of another process leaves it alone too, under whatever path it meets it.
const StateMarker = ".contexture-state"

const stateText = "Contexture keeps indexes and memory in this folder. An index of files leaves a folder with this file out.\n"

// MarkState puts the marker into a state directory that has none.
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

// ErrOwn is wrapped by Open's error for a root that lies in one of Options.Own: choose another
// folder.
var ErrOwn = errors.New("which the program itself writes")

// setOwn finds what of Options.Own lies in the root, by name and with links resolved.
func (t *Tree) setOwn() error {
	for _, path := range t.opts.Own {
		if !filepath.IsAbs(path) {
			continue
		}
		if _, in := below(resolved(path), t.root); in {
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

// ownRule answers for a path that the program writes to.
func (t *Tree) ownRule(rel string) *Rule {
	if !slices.Contains(t.own, rel) {
		return nil
	}
	return &Rule{Pattern: rel + " (written by Contexture itself; never indexed, whatever index.include says)", Source: builtIn}
}

// stateRule answers for a folder that holds the marker.
func stateRule(rel string, names []string) *Rule {
	if !slices.Contains(names, StateMarker) {
		return nil
	}
	return &Rule{
		Pattern: baseName(rel) + "/ (a state directory of Contexture: it holds " + StateMarker + "; never indexed, whatever index.include says)",
		Source:  builtIn,
	}
}
