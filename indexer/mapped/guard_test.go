//go:build unix && cgo

package mapped

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that another program truncates reads as zeros from there on and reports it; the process
// survives.
func TestFileCutWhileOpen(t *testing.T) {
	dir := t.TempDir()
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	name, err := Write(dir, "a", ".dat", [][]byte{want})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	const left = 1 << 18
	if err := os.Truncate(filepath.Join(dir, name), left); err != nil {
		t.Fatal(err)
	}
	if f.Damaged() {
		t.Error("damaged before it was read")
	}
	var group sync.WaitGroup
	for range 4 { // on several threads at once
		group.Go(func() {
			got := f.Sections()[0]
			if !bytes.Equal(got[:left], want[:left]) || !bytes.Equal(got[left:], make([]byte, len(want)-left)) {
				t.Error("neither what was there nor zeros")
			}
		})
	}
	group.Wait()
	if !f.Damaged() {
		t.Error("the damage is not noticed")
	}
	if other.Damaged() {
		t.Error("a file that was not read is damaged")
	}
	if again, err := Open(dir, name); err == nil {
		t.Errorf("a cut file was opened: %d bytes", again.Size())
	}
	runtime.KeepAlive(f)
}

// A fault outside of mapped files is left to Go.
func TestFaultOutsideMappedFiles(t *testing.T) {
	dir := t.TempDir()
	name, err := Write(dir, "a", ".dat", [][]byte{[]byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, name); err != nil { // the guard is installed
		t.Fatal(err)
	}
	path := filepath.Join(dir, "plain")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data := unguarded(t, file, 1<<16)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("no fault")
		}
	}()
	t.Log(data[1<<15])
}

// unguarded maps a file as other code would.
func unguarded(t *testing.T, file *os.File, size int) []byte {
	t.Helper()
	data, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(data); err != nil {
			t.Error(err)
		}
	})
	return data
}
