package render

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"closing tag", "x\n</ctx-code>\ny", "x\n&lt;/ctx-code>\ny"},
		{"opening tag", `<ctx-code path="a">`, `&lt;ctx-code path="a">`},
		{"another kind", "</ctx-prompt>", "&lt;/ctx-prompt>"},
		{"unknown kind", "<ctx-whatever/>", "&lt;ctx-whatever/>"},
		{"upper case", "</CTX-Code>", "&lt;/CTX-Code>"},
		{"in a comment", "// see </ctx-code >", "// see &lt;/ctx-code >"},
		{"behind a word", "x</ctx-code>", "x&lt;/ctx-code>"},
		{"spaces", "< / ctx-code >", "&lt; / ctx-code >"},
		{"line feed", "<\n/\r\n\tctx-code\n>", "&lt;\n/\r\n\tctx-code\n>"},
		{"no-break space", "<\u00a0/ctx-code>", "&lt;\u00a0/ctx-code>"},
		{"zero width", "<\u200b/c\u200dt\ufeffx\u2060-code>", "&lt;\u200b/c\u200dt\ufeffx\u2060-code>"},
		{"soft hyphen", "<c\u00adtx-code>", "&lt;c\u00adtx-code>"},
		{"bidi control", "<\u202e/ctx-code>", "&lt;\u202e/ctx-code>"},
		{"full-width bracket", "＜/ctx-code＞", "&#xff1c;/ctx-code＞"},
		{"full-width letters", "<／ｃｔｘ－ｃｏｄｅ>", "&lt;／ｃｔｘ－ｃｏｄｅ>"},
		{"angle quote", "‹ctx-code›", "&#x2039;ctx-code›"},
		{"other scripts", "</\u0441\u0442\u0445-\u0441ode>", "&lt;/\u0441\u0442\u0445-\u0441ode>"},
		{"mathematical letters", "<\U0001d41c\U0001d42d\U0001d431-code>", "&lt;\U0001d41c\U0001d42d\U0001d431-code>"},
		{"dash", "</ctx–code>", "&lt;/ctx–code>"},
		{"unfinished at the end", "tail <ctx-code", "tail &lt;ctx-code"},
		{"doubled bracket", "<<ctx-code>", "<&lt;ctx-code>"},
		{"turn", "<T-12-R>", "&lt;T-12-R>"},
		{"turn closed", "</T-12-R>", "&lt;/T-12-R>"},
		{"turn, lower case", "</t-7-s >", "&lt;/t-7-s >"},
		{"turn with attribute", `<T-7-T at="x">`, `&lt;T-7-T at="x">`},
		{"merged turns", "</T-50-through-100-C>", "&lt;/T-50-through-100-C>"},
		{"turn at the end", "</T-1-C", "&lt;/T-1-C"},
		{"own reference", "&lt;ctx-code>", "&amp;lt;ctx-code>"},
		{"own reference, escaped", "&amp;lt;ctx-code>", "&amp;amp;lt;ctx-code>"},
		{"own numeric reference", "&#xff1c;/ctx-code>", "&amp;#xff1c;/ctx-code>"},
		{"bracket before bracket", "<ctx-ᐸctx-a", "<ctx-&#x1438;ctx-a"},

		{"comparison", "if a < b && c<d {", "if a < b && c<d {"},
		{"arithmetic", "for i < t-1-s; n < T-12 - R {", "for i < t-1-s; n < T-12 - R {"},
		{"generics", "List<String> Map<K, Vec<Task>>", "List<String> Map<K, Vec<Task>>"},
		{"HTML", "<div><code>x</code></div>", "<div><code>x</code></div>"},
		{"HTML references", "&lt;div&gt; &amp;lt; &#60;", "&lt;div&gt; &amp;lt; &#60;"},
		{"C# docs", "/// <summary>Adds.</summary>", "/// <summary>Adds.</summary>"},
		{"JSX", `<Message kind="task" />`, `<Message kind="task" />`},
		{"name alone", "ctx-code T-12-R ctx->field", "ctx-code T-12-R ctx->field"},
		{"pointer", "a<ctx->b", "a<ctx->b"},
		{"shift", "1<<ctx", "1<<ctx"},
		{"channel", "<-ctx.Done()", "<-ctx.Done()"},
		{"turn without level", "<T-12>", "<T-12>"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Escape(tt.in)
			if got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if back := Unescape(got); back != tt.in {
				t.Errorf("Unescape(%q) = %q, want %q", got, back, tt.in)
			}
		})
	}
}

// plainImitation parses tags as a reader without our code would.
var plainImitation = regexp.MustCompile(`(?i)<[\s/]*(?:ctx-[a-z]|t-[0-9]+(?:-through-[0-9]+)?-[rsct][\s/]*>)`)

func FuzzEscape(f *testing.F) {
	for _, s := range []string{
		"</ctx-code>", "&lt;ctx-a", "&amp;amp;lt;/T-1-R>", "<<ctx-ᐸctx-ᐸ</t-2-through-9-c/",
		"＜ctx-a ‹/ctx-b", "<\u200b / c\x00tx-a\xff<ctx-\xffa", "&#x27e8;ctx-b&&lt;<ctx-c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := Escape(s)
		if back := Unescape(e); back != s {
			t.Fatalf("Unescape(Escape(%q)) = %q", s, back)
		}
		if utf8.ValidString(s) && !utf8.ValidString(e) {
			t.Fatalf("Escape(%q) is not valid UTF-8", s)
		}
		if m := plainImitation.FindString(e); m != "" {
			t.Fatalf("Escape(%q) = %q still has %q", s, e, m)
		}
		rewrite(e, func(_ *strings.Builder, m mark) {
			if m.amps < 0 {
				t.Fatalf("Escape(%q) = %q still has an imitation", s, e)
			}
		})
	})
}

// TestEscapeIsLinear escapes the texts that look ahead furthest. Quadratic work on a megabyte would
// take minutes.
func TestEscapeIsLinear(t *testing.T) {
	n := 1 << 18
	if testing.Short() {
		n >>= 3
	}
	for _, unit := range []string{"<", "< ", "&", "&amp;", "amp;", "<ctx-", "<t-1", "<\u200b", "< t-1-r ", "&lt;ctx-a"} {
		s := strings.Repeat(unit, n)
		start := time.Now()
		if Unescape(Escape(s)) != s {
			t.Errorf("%q repeated does not come back", unit)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%q repeated took %v", unit, d)
		}
	}
	for _, s := range []string{"<" + strings.Repeat(" ", n), "<t-" + strings.Repeat("1", n), "&" + strings.Repeat("amp;", n) + "lt;ctx-a"} {
		if Unescape(Escape(s)) != s {
			t.Errorf("%.20q does not come back", s)
		}
	}
}

func BenchmarkEscape(b *testing.B) {
	body := strings.Repeat("if a < b && m[k] != nil { return List<String>{} } // größer\n", 80)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Escape(body)
	}
}
