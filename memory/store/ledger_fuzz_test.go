package store

import (
	"bytes"
	"testing"
)

// FuzzLedger checks that arbitrary ledgers and names of checkpoints are parsed or rejected without
// a panic.
func FuzzLedger(f *testing.F) {
	f.Add([]byte("000004.log 17 00000000000000ff\n"), "1-20260504T030201Z")
	f.Add([]byte("a b c\n"), "1")
	f.Add([]byte("\n \n"), "-")
	f.Add(bytes.Repeat([]byte{0xff}, 64), "99999999999999999999-x")
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		text, _ := readSlots(bytes.NewReader(file))
		if len(text) > len(file) {
			t.Fatalf("%d bytes out of %d", len(text), len(file))
		}
		for line := range bytes.Lines(file) {
			if e, err := parseEntry(string(line)); err == nil && e.name == "" {
				t.Fatalf("%q has no name", line)
			}
		}
		if format, at, ok := parseCheckpoint(name); ok && at.IsZero() && format == 0 && name == "" {
			t.Fatal("nothing is a checkpoint")
		}
	})
}
