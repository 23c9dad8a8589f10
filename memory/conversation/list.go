package conversation

import (
	"encoding/hex"
	"fmt"
	"iter"

	"github.com/contexture-dev/contexture/memory/store"
)

// List returns up to limit conversations, the one with the latest message first, and if there are
// more, the value of before for the next page. It reads only the page. Error: *InvalidError with
// the field before for a value that List never returned.
func List(view store.View, limit int, before string) (infos []Info, next string, err error) {
	return Select(view, limit, before, nil)
}

// allPage is how many conversations All reads at a time: other work waits meanwhile.
const allPage = 200

// All yields all conversations in the order of List; the last pair has the error that ended it.
func All(view store.View) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for before := ""; ; {
			page, next, err := List(view, allPage, before)
			if err != nil {
				yield(Info{}, err)
				return
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
			}
			if before = next; next == "" {
				return
			}
		}
	}
}

// selectStep is how many conversations Select reads at a time, at most.
const selectStep = 256

// Select is List of the conversations for which keep returns true; a nil keep lists all. It reads
// until the page is full and one more is found. An error of keep ends it and is returned.
func Select(view store.View, limit int, before string, keep func(Info) (bool, error)) (infos []Info, next string, err error) {
	limit = max(limit, 0)
	last := ""
	for {
		step := limit - len(infos) + 1
		if keep != nil {
			step = selectStep
		}
		list, err := latest(view, step, before)
		if err != nil {
			return nil, "", err
		}
		for i, at := range list {
			if keep == nil && len(infos) == limit { // one more was requested to find out whether there is one
				return infos, last, nil
			}
			info, err := ByNumber(view, at.number)
			if err != nil {
				return nil, "", fmt.Errorf("list conversations: %w", err)
			}
			if keep != nil {
				kept, err := keep(info)
				if err != nil {
					return nil, "", err
				}
				if !kept {
					continue
				}
				if len(infos) == limit {
					return infos, last, nil
				}
			}
			infos, last = append(infos, info), list[i].place
		}
		if len(list) < step {
			return infos, "", nil
		}
		before = list[len(list)-1].place
	}
}

// listEntry is a conversation with its sort key.
type listEntry struct {
	number Number
	place  string // its sort key
}

// latest returns up to limit conversations after a sort key, or from the first one on.
func latest(view store.View, limit int, before string) (list []listEntry, err error) {
	prefix := key(view.Workspace, kindLatest)
	upper := store.PrefixEnd(prefix)
	if before != "" {
		place, err := hex.DecodeString(before)
		if err != nil || len(place) != latestSize {
			return nil, &InvalidError{"before", fmt.Sprintf("%q is not the next of a list of conversations", before)}
		}
		upper = append(prefix[:len(prefix):len(prefix)], place...)
	}
	err = view.ScanBack(prefix, upper, func(key, _ []byte) (bool, error) {
		if len(key) != len(prefix)+latestSize {
			return false, errDamaged
		}
		list = append(list, listEntry{Number(lastUint32(key)), hex.EncodeToString(key[len(prefix):])})
		return len(list) < limit, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return list, nil
}
