package receipt

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// folder is the folder in which an assistant works. All paths have slashes.
type folder struct {
	at string // the folder, "" if it is not known
	// tops are the folder of the workspace, and other checkouts of it. Without them all files are
	// taken to be in the workspace, and those of absolute paths keep these.
	tops []string
}

// folderIn returns the folder of a workspace. A turn that does not mention it may be of a checkout
// somewhere else: then it is not known.
func folderIn(turn []dialogue.Message, root string) folder {
	root = slashed(root)
	for _, m := range turn {
		for _, c := range m.ToolCalls {
			if root != "" && strings.Contains(slashed(resultText(c.Arguments)), root) {
				return folder{root, []string{root}}
			}
		}
	}
	return folder{}
}

// of returns the folder in which a call runs. One beside the workspace that is named after it is
// another checkout of it, as worktrees are; what is in the workspace is found there first.
func (f *folder) of(c dialogue.ToolCall) folder {
	in, at := *f, c.Folder()
	if at == "" {
		return in
	}
	in.enter(at)
	if len(f.tops) > 0 && strings.HasPrefix(in.at, f.tops[0]) && !slices.Contains(f.tops, in.at) {
		f.tops = append(f.tops, in.at)
		in.tops = f.tops
	}
	return in
}

// enter changes the folder.
func (f *folder) enter(dir string) { f.at = f.path(dir) }

// path returns a path as it is if it is absolute or said to be in the home folder, and else below
// the folder.
func (f *folder) path(name string) string {
	if name = slashed(name); absolute.MatchString(name) {
		return path.Clean(name)
	}
	return path.Join(f.at, name)
}

// files returns the paths in the workspace of the files that are in it.
func (f *folder) files(names ...string) (out []string) {
	for _, name := range names {
		file := f.path(name)
		if len(f.tops) == 0 {
			out = append(out, file)
		}
		for _, top := range f.tops {
			if rel, ok := strings.CutPrefix(file, top+"/"); ok {
				out = append(out, rel)
				break
			}
		}
	}
	return out
}

// isNamed reports whether a file is one of those that are named.
func isNamed(file string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return file == name || absolute.MatchString(file) && strings.HasSuffix(file, "/"+name)
	})
}

var absolute = regexp.MustCompile(`^(/|~|[A-Za-z]:/)`)

func slashed(name string) string {
	return strings.TrimSuffix(strings.ReplaceAll(name, `\`, "/"), "/")
}
