package arc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// notesForm is the version of the format of stored notes. Raise it when the format changes, or when
// keys or marks are derived differently: notes of another version are rebuilt.
const notesForm = 4

var errNotes = errors.New("not notes of this format")

// AppendBinary appends the notes in their stored format. Numbers are varints, lists and strings are
// preceded by their length, and each key takes four bytes.
func (n *Notes) AppendBinary(b []byte) []byte {
	w := notesWriter{append(b, notesForm)}
	w.int(n.Turn)
	w.b = append(w.b, byte(n.Reply))
	w.text(n.Intent)
	w.texts(n.Names)
	w.lines(n.Said)
	w.lines(n.Replied)
	w.keys(n.Heard)
	w.keys(n.Answer)
	return w.b
}

type notesWriter struct{ b []byte }

func (w *notesWriter) int(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *notesWriter) text(s string) {
	w.int(len(s))
	w.b = append(w.b, s...)
}

func (w *notesWriter) texts(list []string) {
	w.int(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *notesWriter) keys(list []key) {
	w.int(len(list))
	for _, k := range list {
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(k))
	}
}

func (w *notesWriter) lines(list []Line) {
	w.int(len(list))
	for i := range list {
		l := &list[i]
		w.b = append(append(w.b, l.Scores[:]...), l.Kept, l.Chosen)
		w.b = binary.LittleEndian.AppendUint16(w.b, uint16(l.Marks))
		w.int(l.Words)
		w.int(l.Agrees)
		w.text(l.Text)
		w.text(l.Wide)
		w.keys(l.Keys)
		w.texts(l.Rejected)
	}
}

// UnmarshalBinary reads what AppendBinary wrote and keeps no part of b. It fails for another
// version of the format.
func (n *Notes) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != notesForm {
		return fmt.Errorf("read notes: %w", errNotes)
	}
	r := notesReader{data: string(b[1:])}
	*n = Notes{Turn: r.int()}
	n.Reply = Reply(r.bytes(1)[0])
	n.Intent, n.Names = r.text(), r.texts()
	n.Said, n.Replied = r.lines(), r.lines()
	n.Heard, n.Answer = r.keys(), r.keys()
	if r.bad || r.data != "" || n.Reply&Brief != 0 && len(n.Replied) == 0 {
		return fmt.Errorf("read notes: %w", errNotes)
	}
	return nil
}

// notesReader reads what notesWriter wrote. After the first error all reads return zero values and
// bad is set. Texts are substrings of data.
type notesReader struct {
	data string
	bad  bool
}

var zeros = string(make([]byte, 16))

// bytes returns the next n bytes. If fewer are left it returns n zeros; n must then be at most 16.
func (r *notesReader) bytes(n int) string {
	if n > len(r.data) {
		r.bad, r.data = true, ""
		return zeros[:n]
	}
	s := r.data[:n]
	r.data = r.data[n:]
	return s
}

func (r *notesReader) int() int {
	n := uint64(0)
	for shift := 0; shift < 63; shift += 7 {
		c := r.bytes(1)[0]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int(n)
		}
	}
	r.bad = true
	return 0
}

// count returns the length of a list whose elements take at least least bytes each.
func (r *notesReader) count(least int) int {
	n := r.int()
	if r.bad || n < 0 || n > len(r.data)/least {
		r.bad = true
		return 0
	}
	return n
}

func (r *notesReader) text() string { return r.bytes(r.count(1)) }

func (r *notesReader) texts() (list []string) {
	for n := r.count(1); n > 0; n-- {
		list = append(list, r.text())
	}
	return list
}

func (r *notesReader) keys() []key {
	n := r.count(4)
	if n == 0 {
		return nil
	}
	list := make([]key, n)
	for i := range list {
		d := r.bytes(4)
		list[i] = key(d[0]) | key(d[1])<<8 | key(d[2])<<16 | key(d[3])<<24
	}
	return list
}

func (r *notesReader) lines() []Line {
	n := r.count(len(Line{}.Scores) + 9)
	if n == 0 {
		return nil
	}
	list := make([]Line, n)
	for i := range list {
		l := &list[i]
		copy(l.Scores[:], r.bytes(len(l.Scores)))
		kinds := r.bytes(2)
		l.Kept, l.Chosen = kinds[0], kinds[1]
		marks := r.bytes(2)
		l.Marks = Mark(marks[0]) | Mark(marks[1])<<8
		l.Words, l.Agrees, l.Text, l.Wide = r.int(), r.int(), r.text(), r.text()
		r.bad = r.bad || l.Agrees > len(l.Text)
		l.Keys, l.Rejected = r.keys(), r.texts()
	}
	return list
}
