package history

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanMessage(t *testing.T) {
	cases := []struct{ name, raw, want string }{
		{"subject alone", "fix: a thing\n", "fix: a thing"},
		{"subject shaped like a trailer", "Reviewed-by: nobody", "Reviewed-by: nobody"},
		{"gerrit", "internal/lsp: handle x\n\nBody text.\n\nFixes golang/go#1\n\nChange-Id: I123\nReviewed-on: https://example.org/c/1\nReviewed-by: A <a@b>\nLUCI-TryBot-Result: x\n",
			"internal/lsp: handle x\n\nBody text.\n\nFixes golang/go#1"},
		{"trailers with continuation", "s\n\nb\n\nSigned-off-by: A\n  <a@b>\nCc: c\n", "s\n\nb"},
		{"unknown trailers beside a hyphenated key", "s\n\nb\n\nAcme-Ticket: 1\nNote: two\n", "s\n\nb"},
		{"prose that looks like trailers", "s\n\nNote: this matters\nWarning: so does this", "s\n\nNote: this matters\nWarning: so does this"},
		{"trailer amid the body", "s\n\nfirst\nCo-authored-by: A <a@b>\nlast", "s\n\nfirst\nlast"},
		{"trailers glued to the body", "s\n\nthe reason\nSigned-off-by: A", "s\n\nthe reason"},
		{"address line", "s\n\nb\nhttps://example.org/x\nc", "s\n\nb\nc"},
		{"address in a sentence", "s\n\nSee https://example.org/a?b=c#d. It is (http://x.example/y) so.", "s\n\nSee . It is so."},
		{"cherry pick", "s\n\nb\n\n(cherry picked from commit 0123abc)\n", "s\n\nb"},
		{"line ends and marks", "s\r\n\r\nb\r\n\r\n\r\n\r\nc  \r\n", "s\n\nb\n\nc"},
		{"not UTF-8", "caf\xe9\n\nb", "caf\uFFFD\n\nb"},
		{"empty", " \n\n", ""},
		{"scoped names survive", "std::vector and a::b: fix", "std::vector and a::b: fix"},
		{"key: value bodies survive", "s\n\nbefore: 3 ms\nafter: 1 ms", "s\n\nbefore: 3 ms\nafter: 1 ms"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := cleanMessage(c.raw); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCleanMessage(f *testing.F) {
	f.Add("s\n\nb\n\nSigned-off-by: A")
	f.Add(strings.Repeat("ü", MaxMessageBytes))
	f.Add("a\n\thttp://x\n\n \x00\r")
	f.Fuzz(func(t *testing.T, raw string) {
		got := cleanMessage(raw)
		if !utf8.ValidString(got) || len(got) > MaxMessageBytes {
			t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		if got != strings.TrimSpace(got) || strings.Contains(got, "\r") {
			t.Errorf("%q is not trimmed", got)
		}
	})
}

// FuzzParser checks that parsing arbitrary output ends, and that its result is bounded.
func FuzzParser(f *testing.F) {
	hash := strings.Repeat("a", 40)
	f.Add("\x00"+hash+"\x00\x001\x00m\x00\n:100644 100644 a b M\x00f\x00:0 1 a b A\x00g\x00\x00"+hash+"\x00\x002\x00m\x00", "")
	f.Add("\x00"+hash+"\x00p q\x001\x00m\x00", "sub/")
	f.Fuzz(func(t *testing.T, stream, prefix string) {
		p := newParser(strings.NewReader(stream), prefix)
		p.r = bufio.NewReaderSize(strings.NewReader(stream), 16)
		for range len(stream) + 1 {
			c, err := p.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				return
			}
			if !isHash(c.Hash) || len(c.Files) > MaxFiles || len(c.Message) > MaxMessageBytes {
				t.Fatalf("%+v", c)
			}
		}
		t.Fatal("it does not end")
	})
}

func TestEnvironment(t *testing.T) {
	got := strings.Join(environment([]string{"PATH=/bin", "GIT_DIR=x", "GIT_INDEX_FILE=y", "GIT_CONFIG_GLOBAL=z", "LC_ALL=de", "PWD=/old"}, "/root"), " ")
	for _, want := range []string{"PATH=/bin", "GIT_CONFIG_GLOBAL=z", "LC_ALL=C", "PWD=/root", "GIT_ALLOW_PROTOCOL= ", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, not := range []string{"GIT_DIR", "GIT_INDEX_FILE", "LC_ALL=de", "/old"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in %q", not, got)
		}
	}
}
