package indexer

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/indexer/history"
)

// FuzzRecords checks that no bytes of the store make the decoders of small records panic or loop,
// and that accepted bytes are encoded to the same.
func FuzzRecords(f *testing.F) {
	f.Add(fileState{segment: 3, index: 1, size: 10, mtime: -5, inode: 9, checked: 1 << 60, reason: "binary"}.marshal())
	f.Add(encodeCommit(commit{Commit: history.Commit{Message: "fix: it\n\nbody", Files: []string{"a.go", "ü"}}}))
	f.Add(encodeCommit(commit{Commit: history.Commit{Message: "fix: it", Files: []string{"a.go", "ü"}}, lines: [][]uint32{nil, {7, 1 << 31}}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if state, ok := unmarshalFileState(b); ok {
			if again, ok := unmarshalFileState(state.marshal()); !ok || again != state {
				t.Fatalf("%+v became %+v", state, again)
			}
		}
		c, ok := decodeCommit(b)
		if len(c.Message) > len(b) || len(c.Files) > len(b) || len(c.lines) > len(b) {
			t.Fatalf("%d bytes hold %d and %d files", len(b), len(c.Message), len(c.Files))
		}
		if !ok {
			return
		}
		again := encodeCommit(c)
		if got, ok := decodeCommit(again); !ok || !reflect.DeepEqual(got, c) {
			t.Fatalf("%q became %q", b, again)
		}
		if len(again) > len(b) {
			t.Fatalf("%q became longer: %q", b, bytes.Clone(again))
		}
	})
}
