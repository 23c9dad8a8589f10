package capture

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Unread is a kind of files beside a source's logs, or a table of a host's database, that may hold
// conversations and is not read: a newer version of the host may keep them there.
type Unread struct {
	What    string // a file's name or a pattern of names, or "table NAME"
	Count   int    // of files, or of a table's rows
	Bytes   int64  // of files
	Example string // path of one file, or of the database
}

// mergeUnread adds up kinds of the same name, in their order.
func mergeUnread(list []Unread) []Unread {
	by := map[string]Unread{}
	for _, u := range list {
		sum := by[u.What]
		sum.What, sum.Example = u.What, cmp.Or(sum.Example, u.Example)
		sum.Count += u.Count
		sum.Bytes += u.Bytes
		by[u.What] = sum
	}
	var out []Unread
	for _, what := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[what])
	}
	return out
}

// maxUnread limits how many files of a source are looked at.
const maxUnread = 20_000

// unread lists the kinds of files that may hold conversations of the source and are not read.
func (s *source) unread(e Environment) []Unread {
	read := s.places(e)
	places := read
	if s.beside != nil {
		places = append(slices.Clip(read), s.beside(e)...)
	}
	var out []Unread
	looked := map[string]bool{}
	for _, p := range places {
		if p.near == nil {
			continue
		}
		deep := p
		deep.depth += p.deeper
		deep.walk(p.dir, 0, nil, func(path string) bool {
			if looked[path] || len(looked) >= maxUnread || s.holds(read, path) {
				return false
			}
			looked[path] = true
			rel, err := filepath.Rel(p.dir, path)
			return err == nil && p.near(filepath.ToSlash(rel))
		}, func(path string, info os.FileInfo) {
			if info.Size() > 0 {
				out = append(out, Unread{What: shape(path), Count: 1, Bytes: info.Size(), Example: path})
			}
		})
	}
	return mergeUnread(out)
}

// holds reports whether one of the places holds a file as a log.
func (s *source) holds(places []place, path string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.holds(path) })
}

// shape returns a pattern for the names of files of the same kind: the end of the name for a file
// that is named by an id or a time.
func shape(file string) string {
	base := filepath.Base(file)
	name, end, ok := strings.Cut(base, ".")
	if !ok {
		return "files without an extension"
	}
	if strings.ContainsAny(name, "0123456789") || strings.Count(name, "-") > 2 {
		return "*." + end
	}
	return base
}

// matches reports whether a name matches a pattern of path.Match.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
