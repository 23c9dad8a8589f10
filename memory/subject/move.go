package subject

import (
	"path"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
	"golang.org/x/text/unicode/norm"
)

// maxNames bounds the names under which one file is looked up, and the renames that are followed.
const maxNames = 32

// Move stages that a file or folder has a new path: it and everything below it are found under
// both paths, along chains of renames. It reads nothing; several renames may be staged in one
// batch, in order.
func Move(tx store.Tx, from, to string) {
	from, to = norm.NFC.String(path.Clean(from)), norm.NFC.String(path.Clean(to))
	if from == to || from == "." || to == "." {
		return
	}
	tx.Delete(currentKey(tx.Workspace, to)) // the path is in use again
	tx.Set(currentKey(tx.Workspace, from), []byte(to))
	tx.Set(store.AppendString(beforePrefix(tx.Workspace, to), from), nil)
}

// above calls f for a path and the folders above it, the longest first, with the rest of the path
// below each.
func above(p string, f func(folder, rest string) error) error {
	for end := len(p); end > 0; end = strings.LastIndexByte(p[:end], '/') {
		if err := f(p[:end], p[end:]); err != nil {
			return err
		}
	}
	return nil
}

// aliases follows renames. It caches what it has read, so it is valid for one answer only.
type aliases struct {
	view  store.View
	moved map[string]string // "" means not moved
}

func newAliases(view store.View) *aliases {
	return &aliases{view, map[string]string{}}
}

// to returns the new path of a file or folder, "" if it was not renamed itself.
func (a *aliases) to(p string) (string, error) {
	if to, ok := a.moved[p]; ok {
		return to, nil
	}
	to, _, err := a.view.Get(currentKey(a.view.Workspace, p))
	a.moved[p] = string(to)
	return string(to), err
}

// current returns a path after all renames.
func (a *aliases) current(p string) (string, error) {
	seen := map[string]bool{p: true}
	for range maxNames {
		next := ""
		err := above(p, func(folder, rest string) error {
			if next != "" {
				return nil
			}
			to, err := a.to(folder)
			if to != "" {
				next = to + rest
			}
			return err
		})
		if err != nil || next == "" || seen[next] {
			return p, wrap("follow renames", err)
		}
		seen[next] = true
		p = next
	}
	return p, nil
}

// names returns a path, its current path and all its earlier ones, the path itself first.
func (a *aliases) names(p string) ([]string, error) {
	list := []string{p}
	seen := map[string]bool{p: true}
	add := func(n string) {
		if !seen[n] && len(list) < maxNames {
			seen[n] = true
			list = append(list, n)
		}
	}
	now, err := a.current(p)
	if err != nil {
		return nil, err
	}
	add(now)
	for i := 0; i < len(list); i++ {
		err := above(list[i], func(folder, rest string) error {
			prefix := beforePrefix(a.view.Workspace, folder)
			return a.view.Scan(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (bool, error) {
				from, _, ok := store.TakeString(key[len(prefix):])
				if !ok {
					return false, errDamaged
				}
				add(from + rest)
				return len(list) < maxNames, nil
			})
		})
		if err != nil {
			return nil, wrap("read earlier names", err)
		}
	}
	return list, nil
}
