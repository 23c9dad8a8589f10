// Package subject records which turns mention which files and symbols, and what people call by
// name: a code position leads to the turns that discussed it, and a subject of conversations is the
// query for its names.
//
// [Mentions] extracts files and symbols from a message, [Names] the names that a person uses. [Add]
// and [Remove] maintain both in the store. [Find] ranks the turns for a code position or a prompt,
// [Seen] lists the turns that mention one name, and [Move] lets a renamed file or folder keep its
// memories. [Uses] reads the turns with a name, and [Group] makes the subjects of them. Paths are
// relative to the workspace's root, with forward slashes.
//
// Keys, after the space and the workspace:
//
//	s kind head name ^time conversation turn message → nothing      a sighting; newest first within a name
//	t conversation turn message                      → time, names  what one message mentions
//	c from                                           → to           where a path is now
//	b to from                                        → nothing      what a path was called before
//
// The head is a path's base name, a symbol's last part, or the folded form of a subject's name, so
// that names with the same ending, and the spellings of one name, are adjacent. Remove deletes what
// the message's own record lists, regardless of what the program that added it recognised as a
// mention.
package subject

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Kind is the kind of thing a mention names. Its values are part of the format on disk.
type Kind byte

// The kinds.
const (
	Path   Kind = 'p' // a file or folder
	Symbol Kind = 's' // a name in code, qualified or not
	Name   Kind = 'n' // what a person calls by name, see [Names]
)

// Mention is a file, a symbol or a subject that a message names.
type Mention struct {
	Kind Kind
	Name string // a path below the root, or as it was written, except that it is stored in NFC
}

// isCode reports whether the mention is of a file or a symbol.
func (m Mention) isCode() bool { return m.Kind != Name }

// Place is the location of a message in a workspace. Conversation is the number under which it is
// stored, Message its index there.
type Place struct {
	Conversation  uint32
	Turn, Message int
}

// errDamaged reports a record that Add cannot have written.
var errDamaged = errors.New("damaged record")

// Add stages the mentions of a message. It reads nothing; a message must be added only once.
func Add(tx store.Tx, at Place, when time.Time, mentions []Mention) {
	if len(mentions) == 0 {
		return
	}
	for _, m := range mentions {
		tx.Set(sightingKey(tx.Workspace, m, when, at), nil)
	}
	tx.Set(messageKey(tx.Workspace, at), encode(when, mentions))
}

// Clear stages the removal of all mentions in a workspace; names of moved files stay.
func Clear(tx store.Tx) {
	for _, kind := range []byte{keySighting, keyMessage} {
		prefix := append(store.Prefix(store.Entities, tx.Workspace), kind)
		tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
}

// Remove stages the inverse of Add: it deletes all mentions of the message. It does nothing if the
// message has none.
func Remove(tx store.Tx, at Place) error {
	key := messageKey(tx.Workspace, at)
	value, found, err := tx.Get(key)
	if err != nil || !found {
		return wrap("remove mentions", err)
	}
	when, mentions, err := decode(value)
	if err != nil {
		return wrap("remove mentions", err)
	}
	for _, m := range mentions {
		tx.Delete(sightingKey(tx.Workspace, m, when, at))
	}
	tx.Delete(key)
	return nil
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// encode returns a message's record: the time in microseconds, then the kind, length and name of
// each mention.
func encode(when time.Time, mentions []Mention) []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(when.UnixMicro()))
	for _, m := range mentions {
		out = binary.AppendUvarint(append(out, byte(m.Kind)), uint64(len(m.Name)))
		out = append(out, m.Name...)
	}
	return out
}

func decode(value []byte) (when time.Time, mentions []Mention, err error) {
	if len(value) < 8 {
		return time.Time{}, nil, errDamaged
	}
	when = time.UnixMicro(int64(binary.BigEndian.Uint64(value))).UTC()
	for value = value[8:]; len(value) > 0; {
		kind := Kind(value[0])
		size, n := binary.Uvarint(value[1:])
		if kind != Path && kind != Symbol && kind != Name || n <= 0 || size > uint64(len(value)-1-n) {
			return time.Time{}, nil, errDamaged
		}
		value = value[1+n:]
		mentions = append(mentions, Mention{kind, string(value[:size])})
		value = value[size:]
	}
	return when, mentions, nil
}
