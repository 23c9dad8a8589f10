package arc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// notesForm is the form of stored notes. It is raised with it, and when extract.Terms reads words otherwise: notes of
// another form are made anew.
const notesForm = 2

var errNotes = errors.New("these are no notes of this form")

// AppendBinary appends the form in which notes are kept beside their turn. Numbers are varints, lists and strings have
// their length before them, terms take four bytes each.
func (n *Notes) AppendBinary(b []byte) []byte {
	w := notesWriter{append(b, notesForm)}
	w.int(n.Turn)
	w.flags(n.Confirms, n.Refuses, n.Undoes, n.Users.Direct, n.Users.Defers, n.Users.Orders, n.Proposal != nil)
	w.flags(n.Others.Direct, n.Others.Defers, n.Others.Orders)
	w.text(n.Intent)
	w.text(n.Pick)
	w.text(n.Named)
	w.texts(n.Names)
	w.texts(n.Options)
	w.terms(n.Users.Terms)
	w.terms(n.Others.Terms)
	w.int(len(n.Decisions))
	for i := range n.Decisions {
		w.stated(&n.Decisions[i])
	}
	if n.Proposal != nil {
		w.stated(n.Proposal)
	}
	w.int(len(n.Questions))
	for i := range n.Questions {
		q := &n.Questions[i]
		w.flags(q.ToUser, q.Loose, q.Own, q.Undecided)
		w.text(q.Text)
		w.terms(q.Terms)
	}
	return w.b
}

type notesWriter struct{ b []byte }

func (w *notesWriter) int(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *notesWriter) flags(list ...bool) {
	flags := byte(0)
	for i, is := range list {
		if is {
			flags |= 1 << i
		}
	}
	w.b = append(w.b, flags)
}

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

func (w *notesWriter) terms(list []uint32) {
	w.int(len(list))
	for _, t := range list {
		w.b = binary.LittleEndian.AppendUint32(w.b, t)
	}
}

func (w *notesWriter) stated(s *Stated) {
	w.flags(s.Change, s.ByOther)
	w.text(s.Text)
	w.text(s.Chosen)
	w.text(s.Subject)
	w.texts(s.Rejected)
	w.terms(s.chosen)
	w.terms(s.subject)
	w.terms(s.rejected)
}

// UnmarshalBinary reads what AppendBinary wrote; it keeps no part of b. It fails for what has another form.
func (n *Notes) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != notesForm {
		return fmt.Errorf("read notes: %w", errNotes)
	}
	r := notesReader{data: string(b[1:])}
	*n = Notes{Turn: r.int()}
	proposal := false
	r.flags(&n.Confirms, &n.Refuses, &n.Undoes, &n.Users.Direct, &n.Users.Defers, &n.Users.Orders, &proposal)
	r.flags(&n.Others.Direct, &n.Others.Defers, &n.Others.Orders)
	n.Intent, n.Pick, n.Named = r.text(), r.text(), r.text()
	n.Names, n.Options = r.texts(), r.texts()
	n.Users.Terms, n.Others.Terms = r.terms(), r.terms()
	if k := r.count(); k > 0 {
		n.Decisions = make([]Stated, k)
	}
	for i := range n.Decisions {
		r.stated(&n.Decisions[i])
	}
	if proposal {
		n.Proposal = new(Stated)
		r.stated(n.Proposal)
	}
	if k := r.count(); k > 0 {
		n.Questions = make([]Asked, k)
	}
	for i := range n.Questions {
		q := &n.Questions[i]
		r.flags(&q.ToUser, &q.Loose, &q.Own, &q.Undecided)
		q.Text, q.Terms = r.text(), r.terms()
	}
	if r.bad || r.data != "" {
		return fmt.Errorf("read notes: %w", errNotes)
	}
	return nil
}

// notesReader reads what notesWriter wrote. After the first damage all reads give zero values and bad is set. Texts
// are parts of data, terms of one array.
type notesReader struct {
	data string
	room []uint32
	bad  bool
}

func (r *notesReader) byte() byte {
	if r.data == "" {
		r.bad = true
		return 0
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c
}

func (r *notesReader) int() int {
	n := uint64(0)
	for shift := 0; shift < 63; shift += 7 {
		c := r.byte()
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int(n)
		}
	}
	r.bad = true
	return 0
}

// count is the length of a list whose elements take a byte at least.
func (r *notesReader) count() int {
	n := r.int()
	if r.bad || n < 0 || n > len(r.data) {
		r.bad = true
		return 0
	}
	return n
}

func (r *notesReader) flags(list ...*bool) {
	flags := r.byte()
	for i, is := range list {
		*is = flags&(1<<i) != 0
	}
}

func (r *notesReader) text() string {
	n := r.count()
	s := r.data[:n]
	r.data = r.data[n:]
	return s
}

func (r *notesReader) texts() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *notesReader) terms() []uint32 {
	n := r.count()
	if n == 0 || n > len(r.data)/4 {
		r.bad = r.bad || n > 0
		return nil
	}
	if n > len(r.room) {
		r.room = make([]uint32, max(n, len(r.data)/12)) // more than half of what is left are terms, mostly
	}
	list := r.room[:n:n]
	r.room = r.room[n:]
	for i := range list {
		d := r.data[4*i:]
		list[i] = uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16 | uint32(d[3])<<24
	}
	r.data = r.data[4*n:]
	return list
}

func (r *notesReader) stated(s *Stated) {
	r.flags(&s.Change, &s.ByOther)
	s.Text, s.Chosen, s.Subject = r.text(), r.text(), r.text()
	s.Rejected = r.texts()
	s.chosen, s.subject, s.rejected = r.terms(), r.terms(), r.terms()
	s.read = true
}
