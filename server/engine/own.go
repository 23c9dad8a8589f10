package engine

import (
	"cmp"
	"path/filepath"
	"strings"
)

// stateFolders are what the state directory holds.
var stateFolders = []string{"index", memoryFolder, "embeddings", "run", "log", "capture"}

// OwnPaths are the files and folders that this process writes and that may lie in a root: the state
// directory and logs. Where the root is the state directory, or lies in it, they are that
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
			own = append(own, log, log+".1") // which the next process makes of it when it is large
		}
	}
	return own
}

// inside reports whether a path is a folder or lies in it, as they are written or with the links of
// both resolved. Of path its folder must exist for that.
func inside(folder, path string) bool {
	under := func(folder, path string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	if under(folder, path) {
		return true
	}
	real := func(path string) string {
		to, _ := filepath.EvalSymlinks(path) // "" for what is not there
		return to
	}
	at := cmp.Or(real(path), filepath.Join(real(filepath.Dir(path)), filepath.Base(path)))
	folder = real(folder)
	return folder != "" && filepath.IsAbs(at) && under(folder, at)
}
