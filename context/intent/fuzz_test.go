package intent

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzClassify(f *testing.F) {
	for _, p := range []string{
		"", "hi, where is `fooBar()`?", "panic: x\n\tmain.go:1 +0x1", "```go\nfunc f(", "#0 a.php(1): b", "\xff\x00`\xfe'“", "a/b.c:1:2: error: x", "at (::1:1)",
		"@/ ./ :0 $ #L x.# ::a", "E  \n[\n`: ' '", "thread 'main' panicked at '", "<!--\nx\n-->", "~~~\n    x = (", "_ __ _a_ a_", "请看a.go里", "http://",
		"'\"", "x ://y", "<T-1-R>",
	} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		s := Classify(prompt, Context{})
		if !s.Frame.known() {
			t.Fatalf("frame %q", s.Frame)
		}
		if again := Classify(prompt, Context{}); !reflect.DeepEqual(s, again) {
			t.Fatalf("two answers:\n%+v\n%+v", s, again)
		}
		if p := PlanFor(s); p.Retrieve == (s.Greeting || s.Acknowledgement) {
			t.Fatalf("plan %+v for %+v", p, s)
		}
		for _, list := range [][]string{s.Identifiers, s.Errors, s.Files, s.Keywords, s.Imports, s.Signatures} {
			seen := map[string]bool{}
			for _, text := range list {
				if text == "" || seen[text] || strings.Contains(text, "\n") {
					t.Fatalf("bad entry %q in %q", text, list)
				}
				if utf8.ValidString(prompt) && !utf8.ValidString(text) {
					t.Fatalf("%q is not valid UTF-8", text)
				}
				seen[text] = true
			}
		}
		for _, fr := range s.Frames {
			if fr.Line < 1 || fr.File == "" {
				t.Fatalf("frame %+v", fr)
			}
		}
	})
}

// TestLongPrompts holds the bound: a prompt of 1 MiB is read at its two ends only.
func TestLongPrompts(t *testing.T) {
	filler := strings.Repeat("größe of the parser; x.y(z) 'q' a/b.go:1:2 \n", 30000)
	s := Classify("fix headName\n"+filler+"\nand where is tailName?", Context{})
	if got := s.Identifiers; len(got) == 0 || got[0] != "headName" || got[len(got)-1] != "tailName" {
		t.Errorf("identifiers %q", got)
	}
	if !s.Question {
		t.Error("the question at the end is lost")
	}
	for _, unit := range []string{"`", "'", "(", "a.", "::", "_", "://", "x ", "é", "\n", "#1 0x1 in a b:", " at ", "\"a b", "1:", "hi\n", "please ", "2020?\n", " 'a", "at x:1:1\n", "Ab "} {
		Classify(strings.Repeat(unit, 1<<20/len(unit)), Context{})
	}
}

var benchPrompts = map[string]string{
	"short": "hi, where is the retry code of `HTTPClient.Do` in internal/net/client.go?",
	"4KB prose": strings.Repeat("When do matching inside of `ignore` or `globset`, we sometimes need a reusable mutable scratch space. "+
		"It turns out that fooBar() in src/pool.rs is a limiting factor, see \"pool exhausted\".\n", 23)[:4096],
	"4KB trace": "java.lang.IllegalStateException: closed\n" +
		strings.Repeat("\tat com.example.service.OrderService.place(OrderService.java:120)\n\tat java.base/java.util.ArrayList.forEach(ArrayList.java:15)\n", 33)[:4050],
	"1MiB": strings.Repeat("func (s *Server) Serve(l net.Listener) error { return s.loop(l, \"accept failed\") } // see main.go:12\n", 11000)[:1<<20],
}

func BenchmarkClassify(b *testing.B) {
	for name, p := range benchPrompts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				Classify(p, Context{})
			}
		})
	}
}
