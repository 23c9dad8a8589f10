package server

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// identities knows by what paths the roots of a process were opened. A root is the folder itself, whatever links lead
// to it: index and memory go by its real path, URIs by the one that the client named. Safe for concurrent use.
type identities struct {
	mu    sync.Mutex // guards given
	given map[string][]string
}

func newIdentities() *identities { return &identities{given: map[string][]string{}} }

// of gives the real path of a root, or the path itself where it leads nowhere, and remembers the path for relative.
func (i *identities) of(path string) (real string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return path
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if !slices.Contains(i.given[real], path) {
		i.given[real] = append(i.given[real], path)
	}
	return real
}

// relative gives the path of a document below a root, by its real path or any other it was opened by.
func (i *identities) relative(real, uri string) (string, bool) {
	path, ok := filePath(uri)
	if !ok {
		return "", false
	}
	i.mu.Lock()
	given := i.given[real] // grows only
	i.mu.Unlock()
	return below(path, append([]string{real}, given...)...)
}

// below gives an absolute path below the first of some folders that it lies in, with forward slashes: "." for the
// folder itself.
func below(path string, folders ...string) (string, bool) {
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}
