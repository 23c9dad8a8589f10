package conversation

import (
	"encoding/binary"
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Versions are the levels of a turn other than the raw one.
type Versions struct {
	S, C, T  string
	Source   dialogue.Source // what made them
	Sizes    Sizes
	Notes    []byte // the maker's data on the turn
	Messages int    // how many messages the turn had then; fewer than now means that they are out of date
}

// Sizes are the tokens of each level's element, in o200k_base.
type Sizes struct{ R, S, C, T int }

// PutVersions stages the versions of a turn, and removes it from the queue unless it got messages
// since. n is the number that Pending returned. The caller must check with IsPending, under the
// lock that it holds until the batch is applied, that the turn has not changed since the versions
// were made: a forgotten text must not come back in them.
func PutVersions(tx store.Tx, n Number, turn int, v Versions) {
	putVersions(draftOf(tx), n, turn, v)
}

func putVersions(tx draft, n Number, turn int, v Versions) {
	b := appendText([]byte{codecVersion}, string(v.Source))
	b = appendInt(b, v.Messages)
	b = appendText(appendText(appendText(b, v.S), v.C), v.T)
	b = appendText(b, string(v.Notes))
	for _, size := range []int{v.Sizes.R, v.Sizes.S, v.Sizes.C, v.Sizes.T} {
		b = appendInt(b, size)
	}
	tx.Set(keyVersions(tx.Workspace, n, turn), b)
	tx.Append(keySizes(tx.Workspace, n, turn), encodeSize(turn, v.Messages, v.Sizes))
	tx.Delete(keyPending(tx.Workspace, n, turn, v.Messages))
}

func decodeVersions(value []byte) (Versions, error) {
	d := decode(value)
	v := Versions{Source: dialogue.Source(d.text()), Messages: d.int()}
	v.S, v.C, v.T = d.text(), d.text(), d.text()
	if notes := d.text(); notes != "" {
		v.Notes = []byte(notes)
	}
	v.Sizes = Sizes{R: d.int(), S: d.int(), C: d.int(), T: d.int()}
	return v, d.err()
}

// LoadVersions returns the versions of a turn; ok is false when there are none. They may be out of
// date, see Versions.Messages and MessageCount.
func LoadVersions(view store.View, info Info, turn int) (v Versions, ok bool, err error) {
	err = LoadVersionsRange(view, info, turn, turn, func(_ int, found Versions) error {
		v, ok = found, true
		return nil
	})
	return v, ok, err
}

// LoadVersionsRange calls f for the turns from … to that have versions, in order. An error of f
// ends it.
func LoadVersionsRange(view store.View, info Info, from, to int, f func(turn int, v Versions) error) error {
	return eachOwner(info, from, to, func(n Number, from, to int) error {
		err := view.Scan(keyVersions(view.Workspace, n, from), keyVersions(view.Workspace, n, to+1), func(key, value []byte) (bool, error) {
			v, err := decodeVersions(value)
			if err != nil {
				return false, err
			}
			return true, f(int(lastUint32(key)), v)
		})
		if err != nil {
			return fmt.Errorf("read versions of conversation %d: %w", info.Number, err)
		}
		return nil
	})
}

// EachNotes calls f for those of the turns from … to whose versions are up to date, in order, with
// their notes, which are valid during f. It reads no other part of the versions. An error of f ends
// it.
func EachNotes(view store.View, info Info, from, to int, f func(turn int, notes []byte) error) error {
	from, to = max(from, 1), min(to, info.Turns)
	if from > to {
		return nil
	}
	borders, err := turnBorders(view, info, from, to)
	if err != nil {
		return err
	}
	return eachOwner(info, from, to, func(n Number, first, last int) error {
		err := view.Scan(keyVersions(view.Workspace, n, first), keyVersions(view.Workspace, n, last+1), func(key, value []byte) (bool, error) {
			turn := int(lastUint32(key))
			messages, notes, err := notesOf(value)
			if err != nil || messages != borders[turn-from+1]-borders[turn-from] {
				return true, err
			}
			return true, f(turn, notes)
		})
		if err != nil {
			return fmt.Errorf("read notes of conversation %d: %w", info.Number, err)
		}
		return nil
	})
}

// notesOf decodes only the number of messages and the notes of stored versions; the notes are a
// part of value.
func notesOf(value []byte) (messages int, notes []byte, err error) {
	if len(value) == 0 || value[0] != codecVersion {
		return 0, nil, errDamaged
	}
	rest := value[1:]
	text := func() (part []byte) {
		n, size := binary.Uvarint(rest)
		if err != nil || size <= 0 || n > uint64(len(rest)-size) {
			err = errDamaged
			return nil
		}
		part, rest = rest[size:size+int(n)], rest[size+int(n):]
		return part
	}
	text() // the source
	count, size := binary.Varint(rest)
	if size <= 0 {
		return 0, nil, errDamaged
	}
	rest = rest[size:]
	for range 3 { // S, C, T
		text()
	}
	notes = text()
	return int(count), notes, err
}

// eachOwner calls f for the ranges of the turns from … to, clamped to the existing ones, and the
// numbers that hold their records.
func eachOwner(info Info, from, to int, f func(n Number, from, to int) error) error {
	next := max(from, 1)
	for _, l := range info.links() {
		last := min(l.turns, to)
		if next > last {
			continue
		}
		if err := f(l.number, next, last); err != nil {
			return err
		}
		next = last + 1
	}
	return nil
}

// sizesBlock is how many turns have their sizes in one value.
const sizesBlock = 256

// encodeSize encodes one element of a block. Elements are only ever added. Of one turn's elements
// the one with the most messages is valid, and among those the last: so writing needs no read, and
// versions that come too late do not count.
func encodeSize(turn, messages int, s Sizes) []byte {
	b := []byte{byte(turn % sizesBlock)}
	for _, n := range []int{messages, s.R, s.S, s.C, s.T} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// TurnSizes returns the sizes of the turns from first (1 is that of the conversation) to the last
// one; zero for a turn without current versions.
func TurnSizes(view store.View, info Info, first int) ([]Sizes, error) {
	return TurnSizesTo(view, info, first, info.Turns)
}

// TurnSizesTo is TurnSizes up to the turn last, which must exist.
func TurnSizesTo(view store.View, info Info, first, last int) ([]Sizes, error) {
	sizes := make([]Sizes, max(last+1-first, 0))
	messages := make([]uint64, len(sizes))
	err := eachOwner(info, first, last, func(n Number, from, to int) error {
		lower, upper := keySizes(view.Workspace, n, from), keySizes(view.Workspace, n, to)
		return view.Scan(lower, append(upper, 0), func(key, value []byte) (bool, error) {
			block := int(lastUint32(key)) * sizesBlock
			for len(value) > 0 {
				turn := block + int(value[0])
				value = value[1:]
				var v [5]uint64
				for i := range v {
					n, size := binary.Uvarint(value)
					if size <= 0 {
						return false, errDamaged
					}
					v[i], value = n, value[size:]
				}
				if turn >= from && turn <= to && v[0] >= messages[turn-first] {
					messages[turn-first] = v[0]
					sizes[turn-first] = Sizes{R: int(v[1]), S: int(v[2]), C: int(v[3]), T: int(v[4])}
				}
			}
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read sizes of conversation %d: %w", info.Number, err)
	}
	return sizes, nil
}
