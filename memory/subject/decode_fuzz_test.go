package subject

import (
	"bytes"
	"testing"
	"time"
)

// FuzzDecode checks that a damaged record of mentions is an error, and that any other is encoded to
// the same bytes.
func FuzzDecode(f *testing.F) {
	f.Add(encode(time.UnixMicro(5), []Mention{{Path, "a/b.go"}, {Symbol, "F"}}))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, value []byte) {
		when, mentions, err := decode(value)
		if err != nil {
			return
		}
		again := encode(when, mentions)
		if back, list, err := decode(again); err != nil || !back.Equal(when) || len(list) != len(mentions) || len(again) > len(value) {
			t.Fatalf("%x became %x, %v", value, again, err)
		}
		if len(again) == len(value) && !bytes.Equal(again, value) {
			t.Fatalf("%x became %x", value, again)
		}
	})
}
