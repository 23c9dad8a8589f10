package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func framed(bodies ...string) string {
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	return b.String()
}

func TestFrames(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
		err      error // of the Next after the last of want
	}{
		{"nothing", "", nil, io.EOF},
		{"two", framed("{}", `{"a":"ü"}`), []string{"{}", `{"a":"ü"}`}, io.EOF},
		{"empty body", framed("", "x"), []string{"", "x"}, io.EOF},
		{"other headers, any case", "content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"bare line feeds", "Content-Length: 2\n\n{}", []string{"{}"}, io.EOF},
		{"bytes that are no UTF-8", framed("\"a\xff\xc3\"", "\xe2\x82é"), []string{"\"a\uFFFD\uFFFD\"", "\uFFFD\uFFFDé"}, io.EOF},
		{"same length twice", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"ends in a header", "Content-Le", nil, io.ErrUnexpectedEOF},
		{"ends after a header line", "Content-Length: 2\r\n", nil, io.ErrUnexpectedEOF},
		{"ends before a body", "Content-Length: 2\r\n\r\n", nil, io.ErrUnexpectedEOF},
		{"ends in a body", "Content-Length: 20\r\n\r\n{}", nil, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				r := NewFrameReader(in)
				for _, want := range tt.want {
					if got, err := r.Next(); err != nil || string(got) != want {
						t.Fatalf("Next() = %q, %v; want %q", got, err, want)
					}
				}
				if got, err := r.Next(); !errors.Is(err, tt.err) {
					t.Fatalf("last Next() = %q, %v; want %v", got, err, tt.err)
				}
			}
		})
	}
}

func TestBadHeaders(t *testing.T) {
	for name, in := range map[string]string{
		"no length":        "Content-Type: x\r\n\r\n{}",
		"no colon":         "hello\r\n\r\n",
		"negative":         "Content-Length: -1\r\n\r\n",
		"sign":             "Content-Length: +2\r\n\r\n{}",
		"hexadecimal":      "Content-Length: 0x2\r\n\r\n{}",
		"empty":            "Content-Length:\r\n\r\n",
		"out of range":     "Content-Length: 99999999999999999999999\r\n\r\nabc",
		"largest integer":  "Content-Length: 9223372036854775807\r\n\r\nabc",
		"no message's":     fmt.Sprintf("Content-Length: %d\r\n\r\n", int64(maxSkippedBytes)+1),
		"two lengths":      "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"bare JSON":        `{"jsonrpc":"2.0","method":"initialize"}`,
		"JSON in a line":   `a{"jsonrpc":"2.0"}` + "\n",
		"endless line":     "A: " + strings.Repeat("a", 1<<20),
		"endless header":   strings.Repeat("A: b\r\n", 1000),
		"only empty lines": "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewFrameReader(strings.NewReader(in)).Next()
			var header *HeaderError
			if !errors.As(err, &header) {
				t.Fatalf("Next() gives %v, want a *HeaderError", err)
			}
			if len(err.Error()) > 200 {
				t.Errorf("the error is long: %q", err)
			}
		})
	}
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestTooLarge(t *testing.T) {
	body := io.LimitReader(zeros{}, MaxFrameBytes+1)
	in := io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", MaxFrameBytes+1)), body, strings.NewReader(framed("{}")))
	r := NewFrameReader(in)
	var large *TooLargeError
	if _, err := r.Next(); !errors.As(err, &large) || large.Bytes != MaxFrameBytes+1 {
		t.Fatalf("Next() gives %v, want a *TooLargeError", err)
	}
	if got, err := r.Next(); err != nil || string(got) != "{}" {
		t.Fatalf("the message after it is %q, %v", got, err)
	}
}

func TestFrameWriter(t *testing.T) {
	var out bytes.Buffer
	w := NewFrameWriter(&out)
	long := strings.Repeat("x", keptBuffer+1)
	for _, body := range []string{"{}", "", long, "é", "a\xffb"} {
		if err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if want := framed("{}", "", long, "é", "a\uFFFDb"); out.String() != want {
		t.Errorf("wrote %d bytes, want %d", out.Len(), len(want))
	}
}

// FuzzFrame: whatever comes, the reader ends, gives no more than it got, and gives back what was
// framed.
func FuzzFrame(f *testing.F) {
	f.Add([]byte(framed("{}", `{"a":1}`)), []byte("body"))
	f.Add([]byte("Content-Length: 3\r\n\r\nab"), []byte(""))
	f.Add([]byte("Content-Length: 99999999999999999999\r\nX: y\r\n\r\n"), []byte("\r\n\r\n"))
	f.Fuzz(func(t *testing.T, stream, body []byte) {
		r := NewFrameReader(bytes.NewReader(stream))
		total := 0
		for {
			got, err := r.Next()
			var large *TooLargeError
			if errors.As(err, &large) {
				continue
			}
			if err != nil {
				break
			}
			if !utf8.Valid(got) {
				t.Fatalf("%q is not valid UTF-8", got)
			}
			if total += utf8.RuneCount(got); total > len(stream) {
				t.Fatalf("%d characters out of %d bytes", total, len(stream))
			}
		}
		var out bytes.Buffer
		if err := NewFrameWriter(&out).Write(body); err != nil {
			t.Fatal(err)
		}
		if got, err := NewFrameReader(&out).Next(); err != nil || !bytes.Equal(got, []byte(string([]rune(string(body))))) {
			t.Fatalf("wrote %q, read %q, %v", body, got, err)
		}
	})
}
