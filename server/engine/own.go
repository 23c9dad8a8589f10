package engine

import (
	"cmp"
	"path/filepath"
	"strings"
)

// stateFolders are the folders in the state directory.
var stateFolders = []string{"index", memoryFolder, "embeddings", "run", "log", "capture"}

// OwnPaths returns the files and folders that this process writes and that may be inside a root:
// the state directory and logs. If the root is the state directory, or inside it, they are that
// directory's folders.
func OwnPaths(root, state string, logs ...string) []string {
	var own []string
	if state == "" {
		return nil
	}
	if inside(state, root) {
		for _, name := range stateFolders {
			own = append(own, filepath.Join(state, name))
		}
	} else {
		own = append(own, state)
	}
	for _, log := range logs {
		if log != "" && inside(root, log) {
			own = append(own, log, log+".1") // its name after rotation
		}
	}
	return own
}

// inside reports whether a path is a folder or inside it, as they are written or with the links of
// both resolved. For the latter, the folder of path must exist.
func inside(folder, path string) bool {
	under := func(folder, path string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	if under(folder, path) {
		return true
	}
	real := func(path string) string {
		to, _ := filepath.EvalSymlinks(path) // "" when it does not exist
		return to
	}
	at := cmp.Or(real(path), filepath.Join(real(filepath.Dir(path)), filepath.Base(path)))
	folder = real(folder)
	return folder != "" && filepath.IsAbs(at) && under(folder, at)
}
