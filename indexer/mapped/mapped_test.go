package mapped

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type record struct {
	A uint64
	B uint32
	C uint8
	_ [3]uint8
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	records := []record{{A: 1<<63 + 5, B: 7, C: 255}, {B: 1 << 31}}
	numbers := []uint32{1, 1 << 31, 3}
	for _, sections := range [][][]byte{
		nil, {nil}, {[]byte("x")}, {[]byte("odd"), Bytes(records), nil, Bytes(numbers), make([]byte, 1<<20+1)},
	} {
		dir := t.TempDir()
		name, err := Write(dir, "some-7", ".dat", sections)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // again after the memory was released
			if len(f.Sections()) != len(sections) {
				t.Fatalf("%d sections, want %d", len(f.Sections()), len(sections))
			}
			for i, want := range sections {
				if !bytes.Equal(f.Sections()[i], want) {
					t.Errorf("section %d differs", i)
				}
			}
			if len(sections) == 5 && (!slices.Equal(View[record](f.Sections()[1]), records) || !slices.Equal(View[uint32](f.Sections()[3]), numbers)) {
				t.Error("the records differ")
			}
			f.Release()
		}
		again, err := Write(dir, "some-7", ".dat", sections)
		if err != nil || again != name {
			t.Errorf("the same content is called %q and %q, %v", name, again, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+TempExt)); len(left) != 0 || !strings.HasPrefix(name, "some-7-") {
			t.Errorf("%q, left over %q", name, left)
		}
	}
}

// An open file can be removed, replaced by a copy, or truncated by a rename, and reads as before.
func TestOpenFileOutlivesItsName(t *testing.T) {
	dir := t.TempDir()
	want := bytes.Repeat([]byte("all of it "), 10_000)
	name, err := Write(dir, "a", ".dat", [][]byte{want})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	f.Release()
	if !bytes.Equal(f.Sections()[0], want) {
		t.Error("the content went with the name")
	}
}

func TestDamageIsNoticed(t *testing.T) {
	dir := t.TempDir()
	name, err := Write(dir, "a", ".dat", [][]byte{[]byte("some content"), []byte("more")})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, name); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range whole {
		try("cut", whole[:n])
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x10
		try("flipped", flipped)
	}
	try("longer", append(bytes.Clone(whole), 0))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
}

func TestWriteSaysWhy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if _, err := Write(dir, "a", ".dat", nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
