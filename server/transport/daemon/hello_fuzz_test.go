package daemon

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// FuzzGreeting: whatever a stranger says first, a greeting is read or refused, nothing behind it is
// touched, and it is judged; what is understood can be said again.
func FuzzGreeting(f *testing.F) {
	for _, text := range []string{
		`{"purpose":"session","versions":{"contract":1,"index":7,"memory":1,"build":{}},"pid":4,"root":"/r","offline":true}`,
		`{"purpose":"command","versions":{}}`, `{"purpose":"leave","versions":{"build":{"version":"v9"}}}`, `{"purpose":7}`, `null`, `[]`, `{`, ``,
		"GET / HTTP/1.1\r\n\r\n", "Content-Length: 2\r\n\r\n{}",
	} {
		f.Add(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...), "behind")
		f.Add([]byte(text), "")
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, "x")
	f.Add(binary.BigEndian.AppendUint32(nil, maxHello), strings.Repeat(" ", 100))
	own := Versions{Contract: 1, Index: 7, Memory: 1}
	f.Fuzz(func(t *testing.T, first []byte, behind string) {
		in := strings.NewReader(string(first) + behind)
		var h Hello
		if err := readGreeting(in, &h); err != nil {
			return
		}
		said := 4 + int(binary.BigEndian.Uint32(append(append([]byte{}, first...), behind...)))
		if left := len(first) + len(behind) - said; in.Len() != left {
			t.Fatalf("%d bytes are left of %d", in.Len(), left)
		}
		v, reason := judge(h, own)
		switch v {
		case served, outdated, incompatible, leaving:
		case refused:
			if reason == "" {
				t.Fatalf("%+v is refused without a reason", h)
			}
		default:
			t.Fatalf("%+v is %q", h, v)
		}
		if v == served && (!h.Versions.agrees(own) || h.Purpose != Session && h.Purpose != CommandLine) {
			t.Fatalf("%+v is served", h)
		}
		var b bytes.Buffer
		if writeGreeting(&b, h) != nil {
			return // escaped it is longer than a greeting may be
		}
		var again Hello
		if err := readGreeting(&b, &again); err != nil || again != h {
			t.Fatalf("%+v became %+v, %v", h, again, err)
		}
	})
}

// FuzzBuild: builds are totally ordered, or two of them could make each other leave for ever.
func FuzzBuild(f *testing.F) {
	f.Add("v1.2.3", "1.2.3", "devel", int64(1), int64(1))
	f.Add("v1.2", "v1.2.0+x", "v1.2.0-rc1", int64(0), int64(5))
	f.Add("", "v", "unknown", int64(-1), int64(1))
	f.Fuzz(func(t *testing.T, a, b, c string, when, size int64) {
		builds := []Build{{Version: a, Time: when}, {Version: b, Time: when, Size: size}, {Version: c, Time: size}, {Version: a, Commit: b, Time: when}}
		for _, x := range builds {
			for _, y := range builds {
				if x.Compare(y) != -y.Compare(x) || (x.Compare(y) == 0) != (x == y) {
					t.Fatalf("%+v and %+v compare as %d and %d", x, y, x.Compare(y), y.Compare(x))
				}
				for _, z := range builds {
					if x.Compare(y) > 0 && y.Compare(z) > 0 && x.Compare(z) <= 0 {
						t.Fatalf("%+v is after %+v is after %+v, and not after it", x, y, z)
					}
				}
			}
		}
	})
}
