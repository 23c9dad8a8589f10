package indexer

import (
	"bytes"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/history"
)

// FuzzRecords checks that no bytes of the store make the decoders of small records panic or loop,
// and that accepted bytes are encoded to the same.
func FuzzRecords(f *testing.F) {
	f.Add(fileState{segment: 3, index: 1, size: 10, mtime: -5, inode: 9, checked: 1 << 60, reason: "binary"}.marshal())
	f.Add(encodeCommit(history.Commit{Message: "fix: it\n\nbody", Files: []string{"a.go", "", "ü"}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if state, ok := unmarshalFileState(b); ok {
			if again, ok := unmarshalFileState(state.marshal()); !ok || again != state {
				t.Fatalf("%+v became %+v", state, again)
			}
		}
		message, files, ok := decodeCommit(b)
		if len(message) > len(b) || len(files) > len(b) {
			t.Fatalf("%d bytes hold %d and %d files", len(b), len(message), len(files))
		}
		if !ok {
			return
		}
		again := encodeCommit(history.Commit{Message: message, Files: files})
		if gotMessage, gotFiles, ok := decodeCommit(again); !ok || gotMessage != message || !slices.Equal(gotFiles, files) {
			t.Fatalf("%q became %q", b, again)
		}
		if len(again) > len(b) {
			t.Fatalf("%q became longer: %q", b, bytes.Clone(again))
		}
	})
}
