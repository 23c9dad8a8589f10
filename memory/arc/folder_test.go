package arc

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestFolderGrows asks for the arc after each turn, that turn added or only tried, and compares it with that of all
// notes at once.
func TestFolderGrows(t *testing.T) {
	scripts := map[string]string{"queue": queue, "styling": styling, "plain": plain}
	for _, c := range folds {
		scripts[c.name] = c.script
	}
	all := ""
	for _, c := range folds {
		all += strings.TrimSpace(c.script) + "\n"
	}
	scripts["all"] = all + queue + styling + plain + queue + all + styling
	for name, script := range scripts {
		notes := notesOf(script)
		f := NewFolder()
		for i := range notes {
			for _, style := range []Style{Light, Rich, Dense} {
				for _, budget := range []int{0, 150} {
					want := Fold(notes[:i+1], style, budget, nil)
					if got := f.Arc(&notes[i], style, budget, nil); !reflect.DeepEqual(got, want) {
						t.Fatalf("%s: turn %d tried, %s: %+v, want %+v", name, i+1, style, got, want)
					}
				}
			}
			f.Add(&notes[i])
			if want, got := Fold(notes[:i+1], Dense, 0, nil), f.Arc(nil, Dense, 0, nil); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: turn %d added: %+v, want %+v", name, i+1, got, want)
			}
		}
		if f.Turns() != len(notes) {
			t.Errorf("%s: %d turns, want %d", name, f.Turns(), len(notes))
		}
	}
}

// TestNotesAreKept reads notes back as they were, and no part of them alone.
func TestNotesAreKept(t *testing.T) {
	for _, n := range notesOf(queue + styling + plain) {
		b := n.AppendBinary(nil)
		var got Notes
		if err := got.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(show(Fold([]Notes{got}, Dense, 0, nil)), show(Fold([]Notes{n}, Dense, 0, nil))) {
			t.Fatalf("%+v, %v, want %+v", got, err, n)
		}
		if again := got.AppendBinary(nil); !bytes.Equal(again, b) {
			t.Errorf("%+v is kept as %x, then as %x", n, b, again)
		}
		for i := range b {
			if err := new(Notes).UnmarshalBinary(b[:i]); err == nil {
				t.Errorf("%d of %d bytes of %+v are read as notes", i, len(b), n)
			}
		}
	}
}

func FuzzNotes(f *testing.F) {
	for _, n := range notesOf(queue) {
		f.Add(n.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var n, again Notes
		if n.UnmarshalBinary(b) != nil {
			return
		}
		kept := n.AppendBinary(nil)
		if err := again.UnmarshalBinary(kept); err != nil || !bytes.Equal(again.AppendBinary(nil), kept) {
			t.Errorf("%x is kept as %x: %v", b, kept, err)
		}
	})
}
