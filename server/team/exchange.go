package team

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/team/fact"
)

// Folder is where the facts of a team are in a repository, unless the caller names another.
const Folder = ".contexture/team"

// Bounds of what is read from a folder of a repository, which anybody may have written.
const (
	mostFiles = 20_000
	mostBytes = 256 << 20
)

// ExchangeResult says what an export or an import did.
type ExchangeResult struct {
	Folder string // below the root, with slashes
	// Facts in the folder afterwards, or that were read; removals are not counted.
	Facts int
	// Written and Removed files of an export; New facts of an import.
	Written, Removed, New int
	// Problems are files that hold no fact, by name.
	Problems []string
}

// Export writes all facts of the repository, the person's own and those of others, to a folder of
// a root: one file a fact, the same bytes from every clone. Files of facts that were removed or
// that hold none are removed; other files of the folder stay.
func (t *Teams) Export(ctx context.Context, root, folder string) (ExchangeResult, error) {
	out := ExchangeResult{Folder: filepath.ToSlash(folder)}
	r, _, err := t.of(ctx, root)
	if err != nil {
		return out, err
	}
	if err := r.pass(ctx); err != nil {
		return out, err
	}
	var files map[string][]byte
	r.ledger.view(func(set *fact.Set) {
		files, err = fact.Marshal(set)
		out.Facts, _ = set.Len()
	})
	if err != nil {
		return out, err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return out, fmt.Errorf("export facts: %w", err)
	}
	defer dir.Close()
	if err := dir.MkdirAll(folder, 0o755); err != nil {
		return out, fmt.Errorf("export facts: %w", err)
	}
	sub, err := dir.OpenRoot(folder) // links lead out of it no more than out of the root
	if err != nil {
		return out, fmt.Errorf("export facts: %w", err)
	}
	defer sub.Close()
	for _, name := range sortedKeys(files) {
		if old, err := sub.ReadFile(name); err == nil && string(old) == string(files[name]) {
			continue
		}
		if err := sub.WriteFile(name, files[name], 0o644); err != nil {
			return out, fmt.Errorf("export facts: %w", err)
		}
		out.Written++
	}
	names, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return out, fmt.Errorf("export facts: %w", err)
	}
	for _, e := range names {
		if _, ours := files[e.Name()]; ours || !fact.IsFile(e.Name()) {
			continue
		}
		if err := sub.Remove(e.Name()); err != nil {
			return out, fmt.Errorf("export facts: %w", err)
		}
		out.Removed++
	}
	return out, nil
}

// Import takes over the facts in a folder of a root. Facts of others become suggestions, as those
// of a server do. A file that holds none is a problem and no reason to leave out the others.
func (t *Teams) Import(ctx context.Context, root, folder string) (ExchangeResult, error) {
	out := ExchangeResult{Folder: filepath.ToSlash(folder)}
	r, _, err := t.of(ctx, root)
	if err != nil {
		return out, err
	}
	files, err := readFolder(root, folder)
	if err != nil {
		return out, err
	}
	facts, problems := fact.Unmarshal(files)
	for _, p := range problems {
		out.Problems = append(out.Problems, p.File+": "+p.Err.Error())
	}
	var fresh []*fact.VerifiedFact
	ids := r.ids()
	for _, o := range facts {
		if !slices.Contains(ids, o.Repository) {
			out.Problems = append(out.Problems, o.ID+".json: it is of another repository")
			continue
		}
		if o.Removes == "" {
			out.Facts++
		}
		fresh = append(fresh, o)
	}
	for _, o := range fresh {
		changed, err := r.ledger.add(o)
		if err != nil {
			return out, err
		}
		if changed && o.Removes == "" {
			out.New++
		}
	}
	poke(r.wakeSend) // the servers may lack what is the person's own of it
	return out, r.pass(ctx)
}

// readFolder returns the files of a folder of a root that may hold facts.
func readFolder(root, folder string) (map[string][]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	defer dir.Close()
	sub, err := dir.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("import facts: %s does not exist in this workspace", filepath.ToSlash(folder))
	}
	if err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	defer sub.Close()
	names, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	out, bytes := map[string][]byte{}, int64(0)
	for _, e := range names {
		if !fact.IsFile(e.Name()) {
			continue
		}
		info, err := sub.Stat(e.Name())
		switch {
		case err != nil:
			return nil, fmt.Errorf("import facts: %w", err)
		case !info.Mode().IsRegular():
			continue
		case info.Size() > 2*fact.MaxEnvelope:
			out[e.Name()] = nil // no fact is so large: it is named among the problems
			continue
		}
		if bytes += info.Size(); bytes > mostBytes || len(out) == mostFiles {
			return nil, fmt.Errorf("import facts: %s has more than %d files or %d MiB of them", filepath.ToSlash(folder), mostFiles, mostBytes>>20)
		}
		if out[e.Name()], err = sub.ReadFile(e.Name()); err != nil {
			return nil, fmt.Errorf("import facts: %w", err)
		}
	}
	return out, nil
}

// CleanFolder returns a folder below a root as a path of the system; "" is [Folder]. ok is false
// for one that is not below it.
func CleanFolder(folder string) (path string, ok bool) {
	if folder == "" {
		folder = Folder
	}
	path = filepath.Clean(filepath.FromSlash(strings.TrimSpace(folder)))
	return path, filepath.IsLocal(path) && path != "."
}
