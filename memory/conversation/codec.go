package conversation

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// errDamaged: a value is not what was written. The store checks its blocks, so this is a bug.
var errDamaged = errors.New("the stored record is damaged")

// Every value begins with the version of its encoding; numbers are varints, strings are preceded by
// their length.
const codecVersion = 1

func appendInt(b []byte, n int) []byte { return binary.AppendVarint(b, int64(n)) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTexts(b []byte, list []string) []byte {
	b = appendInt(b, len(list))
	for _, s := range list {
		b = appendText(b, s)
	}
	return b
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

// decoder decodes what the functions above encoded. After the first damage all reads return zero
// values and bad is set. Texts are parts of data, which is one string for the whole value.
type decoder struct {
	data string
	bad  bool
}

func decode(value []byte) *decoder {
	d := &decoder{data: string(value)}
	d.bad = d.byte() != codecVersion
	return d
}

func (d *decoder) err() error {
	if d.bad {
		return errDamaged
	}
	return nil
}

func (d *decoder) byte() byte {
	if d.bad || d.data == "" {
		d.bad = true
		return 0
	}
	c := d.data[0]
	d.data = d.data[1:]
	return c
}

func (d *decoder) uint() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		c := d.byte()
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) int64() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) int() int { return int(d.int64()) }

func (d *decoder) text() string {
	n := d.uint()
	if d.bad || n > uint64(len(d.data)) {
		d.bad = true
		return ""
	}
	s := d.data[:n]
	d.data = d.data[n:]
	return s
}

// count decodes the length of a list, each element of which takes at least one byte.
func (d *decoder) count() int {
	n := d.int()
	if n < 0 || n > len(d.data) {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) texts() []string {
	n := d.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.text()
	}
	return list
}

func (d *decoder) time() time.Time {
	seconds := d.int64()
	return time.Unix(seconds, int64(d.uint())).UTC()
}

// entry is a message in its stored form.
type entry struct {
	dialogue.Message
	turn      int
	made      bool // the id was generated
	forgotten bool // only role and time remain
}

const (
	flagMade      = 1
	flagForgotten = 2
)

func encodeEntry(e entry) []byte {
	flags := byte(0)
	if e.made {
		flags |= flagMade
	}
	if e.forgotten {
		flags |= flagForgotten
	}
	b := make([]byte, 0, 64+len(e.Content)+len(e.ID)+len(e.Reasoning))
	b = appendInt(append(b, codecVersion, flags), e.turn)
	b = appendTime(appendText(b, string(e.Role)), e.At)
	b = appendText(appendText(b, e.ID), e.Author)
	b = appendText(appendText(b, e.Content), e.Reasoning)
	b = appendTexts(appendTexts(b, e.URIs), e.Symbols)
	b = appendInt(b, len(e.ToolCalls))
	for _, c := range e.ToolCalls {
		b = appendText(b, c.Name)
		b = appendText(appendText(b, string(c.Arguments)), string(c.Result))
		failed := byte(0)
		if c.IsError {
			failed = 1
		}
		b = append(b, failed)
	}
	return b
}

func decodeEntry(value []byte) (entry, error) {
	d := decode(value)
	flags := d.byte()
	e := entry{made: flags&flagMade != 0, forgotten: flags&flagForgotten != 0, turn: d.int()}
	e.Role, e.At = roleOf(d.text()), d.time()
	e.ID, e.Author = d.text(), d.text()
	e.Content, e.Reasoning = d.text(), d.text()
	e.URIs, e.Symbols = d.texts(), d.texts()
	if n := d.count(); n > 0 {
		e.ToolCalls = make([]dialogue.ToolCall, n)
	}
	for i := range e.ToolCalls {
		c := &e.ToolCalls[i]
		c.Name = d.text()
		c.Arguments, c.Result = json.RawMessage(d.text()), json.RawMessage(d.text())
		c.IsError = d.byte() != 0
	}
	return e, d.err()
}

// roleOf returns a stored role without keeping the value that it was read from in memory.
func roleOf(s string) dialogue.Role {
	for _, r := range []dialogue.Role{dialogue.User, dialogue.Assistant, dialogue.System, dialogue.Tool} {
		if string(r) == s {
			return r
		}
	}
	return dialogue.Role(s)
}

// turnOfEntry decodes only the turn of a stored message.
func turnOfEntry(value []byte) (int, error) {
	if len(value) < 3 || value[0] != codecVersion {
		return 0, errDamaged
	}
	n, size := binary.Varint(value[2:])
	if size <= 0 {
		return 0, errDamaged
	}
	return int(n), nil
}

// mark is the beginning of a turn and the state of the conversation before it, which is the start
// of a fork at the previous turn.
type mark struct {
	first                   int // index of the turn's first message
	started, last, previous time.Time
	sessions                int // number of sessions that began before
}

func encodeMark(m mark) []byte {
	b := appendInt([]byte{codecVersion}, m.first)
	b = appendTime(appendTime(appendTime(b, m.started), m.last), m.previous)
	return appendInt(b, m.sessions)
}

func decodeMark(value []byte) (mark, error) {
	d := decode(value)
	m := mark{first: d.int(), started: d.time(), last: d.time(), previous: d.time(), sessions: d.int()}
	return m, d.err()
}

func encodeInfo(i Info) []byte {
	b := appendText(appendText([]byte{codecVersion}, i.ID), i.Title)
	b = appendInt(appendInt(appendInt(b, i.titleFrom), i.Turns), i.Messages)
	b = appendTime(appendTime(appendTime(b, i.StartedAt), i.LastAt), i.prevAt)
	b = appendInt(appendInt(b, i.lastFirst), len(i.past))
	for _, l := range i.past {
		b = appendInt(appendInt(appendInt(b, int(l.number)), l.turns), l.messages)
	}
	return b
}

func decodeInfo(n Number, value []byte) (Info, error) {
	d := decode(value)
	i := Info{Number: n, ID: d.text(), Title: d.text(), titleFrom: d.int(), Turns: d.int(), Messages: d.int()}
	i.StartedAt, i.LastAt, i.prevAt = d.time(), d.time(), d.time()
	i.lastFirst = d.int()
	if c := d.count(); c > 0 {
		i.past = make([]link, c)
	}
	for k := range i.past {
		i.past[k] = link{number: Number(d.int()), turns: d.int(), messages: d.int()}
	}
	if d.bad {
		return Info{}, fmt.Errorf("conversation %d: %w", n, errDamaged)
	}
	return i, nil
}

func appendSession(b []byte, first int) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(first))
}

func encodeSessions(list []int) []byte {
	var b []byte
	for _, first := range list {
		b = appendSession(b, first)
	}
	return b
}

func decodeSessions(value []byte) ([]int, error) {
	if len(value)%4 != 0 {
		return nil, errDamaged
	}
	list := make([]int, len(value)/4)
	for i := range list {
		list[i] = int(binary.BigEndian.Uint32(value[4*i:]))
	}
	return list, nil
}
