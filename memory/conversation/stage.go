package conversation

import (
	"bytes"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// stage makes what was staged into a batch readable, for an import, in which each record depends on
// those before it. It holds all of it in memory, like the batch itself.
type stage struct {
	tx store.Tx
	// staged holds the values by the first bytes of their key, so that a scan of one conversation's
	// records of a kind examines no others; nil for a deleted key.
	staged map[string]map[string][]byte
	err    error // the first error of reading a value to append to
}

// groupBytes is the length of the prefix, the kind and the conversation's number.
const groupBytes = 5 + 1 + 4

func newStage(tx store.Tx) *stage {
	return &stage{tx: tx, staged: make(map[string]map[string][]byte)}
}

// draft returns the stage as a draft.
func (s *stage) draft() draft {
	return draft{store.View{Reader: s, Workspace: s.tx.Workspace}, s}
}

func group(key []byte) string { return string(key[:min(len(key), groupBytes)]) }

func (s *stage) keep(key, value []byte) {
	g := group(key)
	if s.staged[g] == nil {
		s.staged[g] = make(map[string][]byte)
	}
	s.staged[g][string(key)] = value
}

// Set stages a value, which must not change afterwards.
func (s *stage) Set(key, value []byte) {
	s.tx.Set(key, value)
	s.keep(key, append([]byte{}, value...)) // never nil
}

// Delete stages the removal of a key.
func (s *stage) Delete(key []byte) {
	s.tx.Delete(key)
	s.keep(key, nil)
}

// Append stages an append to a value.
func (s *stage) Append(key, value []byte) {
	old, _, err := s.Get(key)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.tx.Append(key, value)
	s.keep(key, append(old, value...))
}

// Get implements store.Reader.
func (s *stage) Get(key []byte) (value []byte, found bool, err error) {
	if value, ok := s.staged[group(key)][string(key)]; ok {
		return slices.Clone(value), value != nil, nil
	}
	return s.tx.Get(key)
}

// Scan implements store.Reader.
func (s *stage) Scan(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return s.scan(lower, upper, s.tx.Scan, bytes.Compare, f)
}

// ScanBack implements store.Reader.
func (s *stage) ScanBack(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return s.scan(lower, upper, s.tx.ScanBack, func(a, b []byte) int { return bytes.Compare(b, a) }, f)
}

// scan merges the staged keys into those of base; both are in the order of compare.
func (s *stage) scan(
	lower, upper []byte, base func(lower, upper []byte, f func(key, value []byte) (bool, error)) error,
	compare func(a, b []byte) int, f func(key, value []byte) (more bool, err error),
) error {
	keys := s.keysWithin(lower, upper)
	slices.SortFunc(keys, compare)
	ended := false
	emit := func(key, value []byte) (more bool, err error) {
		if value == nil {
			return true, nil
		}
		more, err = f(key, value)
		ended = !more || err != nil
		return more, err
	}
	next := func() (more bool, err error) {
		k := keys[0]
		keys = keys[1:]
		return emit(k, s.staged[group(k)][string(k)])
	}
	err := base(lower, upper, func(key, value []byte) (bool, error) {
		for len(keys) > 0 && compare(keys[0], key) < 0 {
			if more, err := next(); !more || err != nil {
				return false, err
			}
		}
		if len(keys) > 0 && bytes.Equal(keys[0], key) {
			return next()
		}
		more, err := f(key, value)
		ended = !more || err != nil
		return more, err
	})
	for err == nil && !ended && len(keys) > 0 {
		_, err = next()
	}
	return err
}

// keysWithin returns the staged keys from lower up to upper (nil: no bound), including deleted
// ones.
func (s *stage) keysWithin(lower, upper []byte) [][]byte {
	var keys [][]byte
	take := func(values map[string][]byte) {
		for k := range values {
			if k >= string(lower) && (upper == nil || k < string(upper)) {
				keys = append(keys, []byte(k))
			}
		}
	}
	if len(lower) >= groupBytes && len(upper) >= groupBytes && group(lower) == group(upper) {
		take(s.staged[group(lower)])
		return keys
	}
	for _, values := range s.staged {
		take(values)
	}
	return keys
}
