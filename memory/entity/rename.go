package entity

import (
	"path"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// maxNames bounds the names that one file is looked up under, and the renames that are followed.
const maxNames = 32

// Rename stages that a file or folder has another path now: it and all below it are found under both paths, along
// chains of renames. It reads nothing; several renames may be staged in one batch, in their order.
func Rename(b *store.Batch, ws store.Workspace, from, to string) {
	from, to = path.Clean(from), path.Clean(to)
	if from == to || from == "." || to == "." {
		return
	}
	b.Delete(currentKey(ws, to)) // it is there again
	b.Set(currentKey(ws, from), []byte(to))
	b.Set(store.AppendString(beforePrefix(ws, to), from), nil)
}

// above calls f for a path and the folders above it, from the longest on, with what the path adds to each.
func above(p string, f func(folder, rest string) error) error {
	for end := len(p); end > 0; end = strings.LastIndexByte(p[:end], '/') {
		if err := f(p[:end], p[end:]); err != nil {
			return err
		}
	}
	return nil
}

// current gives where a path is after all renames.
func current(r store.Reader, ws store.Workspace, p string) (string, error) {
	seen := map[string]bool{p: true}
	for range maxNames {
		next := ""
		err := above(p, func(folder, rest string) error {
			if next != "" {
				return nil
			}
			to, found, err := r.Get(currentKey(ws, folder))
			if found {
				next = string(to) + rest
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

// names gives a path, all it was called before and where it is now, the path itself first.
func names(r store.Reader, ws store.Workspace, p string) ([]string, error) {
	list := []string{p}
	seen := map[string]bool{p: true}
	add := func(n string) {
		if !seen[n] && len(list) < maxNames {
			seen[n] = true
			list = append(list, n)
		}
	}
	now, err := current(r, ws, p)
	if err != nil {
		return nil, err
	}
	add(now)
	for i := 0; i < len(list); i++ {
		err := above(list[i], func(folder, rest string) error {
			prefix := beforePrefix(ws, folder)
			return r.Scan(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (bool, error) {
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
