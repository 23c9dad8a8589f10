package knowledge

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// Keys below Prefix(Knowledge, workspace), by their first byte:
//
//	v                       the version, 8 bytes big-endian
//	i id                    an item, JSON
//	w word id               a rule in force in some conversation, by the hash of one of its rarest words; see ruleEntry
//	o kind id               an item that is no rule found in a conversation
//	s successor id          an item that is superseded by successor
//	c conversation id       an item with a source in the conversation
//	p conversation          what an offline run has read of the conversation, JSON
//	x hash                  a sentence that was removed and is not to come back
//	m                       the form of the items, one byte; see Migrate
//	g                       the recommendations of the last offline run, JSON
//	f conversation          the sentences of a conversation with what each does, JSON; see facts
//	z                       what a person wanted of topics and entities, JSON
//	l                       what is known of the last offline run, JSON
const (
	keyVersion   = 'v'
	keyItem      = 'i'
	keySubject   = 'w'
	keyKept      = 'o'
	keySuccessor = 's'
	keyHeard     = 'c'
	keyProgress  = 'p'
	keyGaps      = 'g'
	keyRemoved   = 'x'
	keyForm      = 'm'
	keyFacts     = 'f'
	keySteering  = 'z'
	keyRun       = 'l'
)

func key(ws store.Workspace, part byte, fields ...string) []byte {
	k := append(store.Prefix(store.Knowledge, ws), part)
	for _, f := range fields {
		k = store.AppendString(k, f)
	}
	return k
}

// Version returns the version of a workspace's knowledge. Every change raises it.
func Version(view store.View) (uint64, error) {
	v, found, err := view.Get(key(view.Workspace, keyVersion))
	if err != nil || !found {
		return 0, err
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("read version of knowledge: %w", ErrBroken)
	}
	return binary.BigEndian.Uint64(v), nil
}

// itemStage stages changes of items: it reads through to the store and sees its own staged changes.
// Nothing reaches the batch before flush.
type itemStage struct {
	view    store.View
	version uint64
	serial  uint64           // of the last rule
	was     map[string]*Item // as stored; nil = not stored
	items   map[string]*Item // as they will be, including those that were only read; nil = removed
	changed map[string]bool  // ids that were staged
	pause   func() error     // called during long writes; nil = never
}

func openShelf(view store.View) (*itemStage, error) {
	version, err := Version(view)
	// Every rule is staged with a version of its own or shares one with those of its batch, in
	// order.
	return &itemStage{view: view, version: version, serial: (version + 1) << 16, was: map[string]*Item{}, items: map[string]*Item{}, changed: map[string]bool{}}, err
}

// get returns an item, nil when there is none. The result may be changed if put is called with it.
func (s *itemStage) get(id string) (*Item, error) {
	if it, ok := s.items[id]; ok {
		return it, nil
	}
	it, err := load(s.view, id)
	if err != nil {
		return nil, err
	}
	s.was[id] = it
	if it == nil {
		s.items[id] = nil
		return nil, nil
	}
	c := *it
	c.SourceTurns, c.MessageIDs, c.Quotations = slices.Clone(it.SourceTurns), slices.Clone(it.MessageIDs), slices.Clone(it.Quotations)
	s.items[id] = &c
	return &c, nil
}

func load(view store.View, id string) (*Item, error) {
	v, found, err := view.Get(key(view.Workspace, keyItem, id))
	if err != nil || !found {
		return nil, err
	}
	return decode(v)
}

func decode(v []byte) (*Item, error) {
	it := new(Item)
	if err := json.Unmarshal(v, it); err != nil {
		return nil, fmt.Errorf("read item of knowledge: %w: %w", ErrBroken, err)
	}
	return it, nil
}

// put stages an item.
func (s *itemStage) put(it *Item) error {
	if _, err := s.get(it.ID); err != nil {
		return err
	}
	s.items[it.ID] = it
	s.changed[it.ID] = true
	return nil
}

// remove stages the removal of an item. What it superseded is now superseded by its own successor,
// and becomes active again without one.
func (s *itemStage) remove(id string) error {
	it, err := s.get(id)
	if err != nil || it == nil {
		return err
	}
	older, err := s.under(keySuccessor, id)
	if err != nil {
		return err
	}
	for _, o := range older {
		if o.SupersededBy == id {
			o.SupersededBy, o.SupersededIn = it.SupersededBy, it.SupersededIn
		}
	}
	s.items[id] = nil
	s.changed[id] = true
	return nil
}

// under returns the items with an index entry, including staged ones, by id.
func (s *itemStage) under(part byte, name string) ([]*Item, error) {
	prefix := key(s.view.Workspace, part, name)
	ids := map[string]bool{}
	err := s.view.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		id, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, fmt.Errorf("read knowledge: %w", ErrBroken)
		}
		ids[id] = true
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for id, it := range s.items {
		if it != nil && slices.Contains(indexed(it, part), name) {
			ids[id] = true
		}
	}
	var out []*Item
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		it, err := s.get(id)
		if err != nil {
			return nil, err
		}
		if it != nil && slices.Contains(indexed(it, part), name) {
			out = append(out, it)
		}
	}
	return out, nil
}

// indexed returns the names under which an item is in an index.
func indexed(it *Item, part byte) []string {
	switch part {
	case keySubject:
		if it.Kind == Rule && !it.suggested() && (it.Holds() || it.replacedElsewhere()) {
			return it.subjects()
		}
	case keyKept:
		if it.Kind != Rule || !it.Learned {
			return []string{string(it.Kind)}
		}
	case keySuccessor:
		if it.SupersededBy != "" {
			return []string{it.SupersededBy}
		}
	case keyHeard:
		var out []string
		for _, t := range it.SourceTurns {
			if c, _, ok := ParseSource(t); ok && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// flush writes the staged changes to the batch and raises the version; it returns how many items
// changed.
func (s *itemStage) flush(tx store.Tx) (changed int, err error) {
	for _, id := range slices.Sorted(maps.Keys(s.items)) {
		if s.pause != nil {
			if err := s.pause(); err != nil {
				return 0, err
			}
		}
		was, is := s.was[id], s.items[id]
		var before, after []byte
		if was != nil {
			if before, err = json.Marshal(was); err != nil {
				return 0, err
			}
		}
		if is != nil {
			if after, err = json.Marshal(is); err != nil {
				return 0, err
			}
		}
		if string(before) == string(after) {
			continue
		}
		changed++
		s.reindex(tx, id, was, is)
		if is == nil {
			tx.Delete(key(tx.Workspace, keyItem, id))
		} else {
			tx.Set(key(tx.Workspace, keyItem, id), after)
		}
	}
	if changed > 0 {
		s.raise(tx)
	}
	return changed, nil
}

// raise sets the next version.
func (s *itemStage) raise(tx store.Tx) { SetVersion(tx, s.version+1) }

// SetVersion stages a version of a workspace's knowledge.
func SetVersion(tx store.Tx, version uint64) {
	tx.Set(key(tx.Workspace, keyVersion), binary.BigEndian.AppendUint64(nil, version))
}

// IsVersion reports whether a key of the store holds the version of a workspace's knowledge.
func IsVersion(key []byte) bool {
	const prefixSize = 5 // of the result of store.Prefix
	return len(key) == prefixSize+1 && key[0] == byte(store.Knowledge) && key[prefixSize] == keyVersion
}

// Decisive returns, of the keys that an offline run has staged, those that must be unchanged since
// the run read them, and the keys that it depends on as a whole. The version is not one of them,
// since every change raises it.
func Decisive(staged [][]byte, ws store.Workspace) [][]byte {
	version := key(ws, keyVersion)
	out := slices.DeleteFunc(staged, func(k []byte) bool { return bytes.Equal(k, version) })
	return append(out, key(ws, keySteering))
}

func (s *itemStage) reindex(tx store.Tx, id string, was, is *Item) {
	for _, part := range []byte{keySubject, keyKept, keySuccessor, keyHeard} {
		var old, new []string
		var before, after []byte
		if was != nil {
			old, before = indexed(was, part), entry(was, part)
		}
		if is != nil {
			new, after = indexed(is, part), entry(is, part)
		}
		for _, name := range old {
			if !slices.Contains(new, name) {
				tx.Delete(key(tx.Workspace, part, name, id))
			}
		}
		for _, name := range new {
			if !slices.Contains(old, name) || !bytes.Equal(before, after) {
				tx.Set(key(tx.Workspace, part, name, id), after)
			}
		}
	}
}

// entry returns the value of an item's index entry.
func entry(it *Item, part byte) []byte {
	if part == keySubject {
		return it.place().encode()
	}
	return nil
}

// SourceTurn returns a source for items' SourceTurns: "<conversation>/T-7".
func SourceTurn(conversation, turnID string) string { return conversation + "/" + turnID }

// ParseSource splits a source.
func ParseSource(source string) (conversation, turnID string, ok bool) {
	i := strings.LastIndex(source, "/T-")
	if i < 0 {
		return "", "", false
	}
	return source[:i], source[i+1:], true
}
