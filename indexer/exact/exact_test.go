package exact

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// naive returns the matching lines of a text by the definition: each line is matched alone.
func naive(t testing.TB, text, pattern string, o Options) (lines []string) {
	t.Helper()
	if !o.Regex {
		pattern = regexp.QuoteMeta(pattern)
	}
	if !o.Case {
		pattern = "(?i:" + pattern + ")"
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if re.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if strings.HasSuffix(text, "\n") || text == "" { // no line begins there
		if n := len(lines); n > 0 && lines[n-1] == "" && re.MatchString("") {
			lines = lines[:n-1]
		}
	}
	return lines
}

func matching(p *Pattern, text string) (lines []string) {
	p.NewFinder().Lines([]byte(text), func(start, end int) { lines = append(lines, text[start:end]) })
	return lines
}

const sample = "package p\n\n// Errör and ERROR, not errors.\r\nfunc closeAll(err error) (n int, err2 error) {\n\treturn 0, errors.New(\"a_b: closed\")\n}\n" +
	"\n\tNOTE: fix\nmixed MIXED\n§1 größer als Größe\n20°K and 20 \u212a, ma\u017fs\nfoo.bar(baz)\nfoo_bar foobar Foo Bar\nlast line"

var patterns = []string{
	"err", "error", "Error", "e", ".", "foo.bar(", "foo", "Größe", "größer", "k", "mass", "20 K", "ERRÖR", "fix", "closeAll(err", "  ", "\t", "zzz", `"a_b: closed"`,
}

var expressions = []string{
	"err(or)?s?", "NOTE|MIXED", "f[o0]o.?bar", `\berr\b`, `^func \w+\(`, "e$", "(get|set|close)All", "x*", "(foo)+_?bar", "[a-z]+[A-Z]", "a|", `\d+`, "(?i)mixED", "(?-i:Foo) ?B",
	`\Alast`, `line\z`, "gr(ö|o)ß", "[^a-z]{3}", "(f(o(o)))[._]", "er+or", "a{2,3}|b{1,2}c?", "(?:)", "20.[kK\u212a]", "[m\u212a]a[s\u017f]s", "clo(s|z)e(d|All)", "fo{2}b",
}

// TestLines compares the lines that are found by anchors, in both cases of letters, with those that
// match alone, and checks that the signature of a text admits every pattern that it matches.
func TestLines(t *testing.T) {
	for _, o := range []Options{{}, {Case: true}, {Regex: true}, {Regex: true, Case: true}} {
		list := patterns
		if o.Regex {
			list = expressions
		}
		for _, pattern := range list {
			p, err := Compile(pattern, o)
			if err != nil {
				t.Fatalf("%q: %v", pattern, err)
			}
			for _, text := range append(strings.SplitAfter(sample, "\n"), sample, "", "\n\n") {
				want, got := naive(t, text, pattern, o), matching(p, text)
				if !slices.Equal(got, want) {
					t.Errorf("%q %+v in %.40q finds %q, want %q", pattern, o, text, got, want)
				}
				if len(want) > 0 && !p.Admits(Sign([]byte(text))) {
					t.Errorf("%q %+v is not admitted by the signature of %q", pattern, o, text)
				}
			}
		}
	}
}

// TestSignatureRulesOut checks that a signature rules out patterns that need what the text lacks.
func TestSignatureRulesOut(t *testing.T) {
	signature := Sign([]byte(strings.Repeat("func retryPayment(order Order) error {\n\treturn nil\n}\n", 20)))
	if len(signature) > 64 {
		t.Errorf("the signature of a few trigrams has %d bytes", len(signature))
	}
	for pattern, admitted := range map[string]bool{
		"retryPayment": true, "RETRYPAYMENT": true, "zebra": false, "retryPayment.*zebra": false, "zebra|retryPayment": true, "zebra|quagga": false,
		"(zebra)?retry": true, "[xyz]ebra": false, "(walrus|zebra)+Payment": false, "zz": true, "z.b.a": true, `order\)\s+zebra`: false, "getZebra|gotZebra|gutZebra": false,
	} {
		p, err := Compile(pattern, Options{Regex: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Admits(signature); got != admitted {
			t.Errorf("%q is admitted: %t", pattern, got)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		o       Options
		line    string
		want    [][2]int
	}{
		{"foo", Options{}, "foo Foo foobar", [][2]int{{0, 3}, {4, 7}, {8, 11}}},
		{"foo", Options{Case: true}, "foo Foo foobar", [][2]int{{0, 3}, {8, 11}}},
		{"foo", Options{Word: true}, "foo Foo foobar xfoo foo_ (foo)", [][2]int{{0, 3}, {4, 7}, {26, 29}}},
		{"foo", Options{Word: true}, "foo foo", [][2]int{{0, 3}, {4, 7}}},
		{"foo|foobar", Options{Word: true, Regex: true}, "foobar foo", [][2]int{{0, 6}, {7, 10}}},
		{"größ", Options{Word: true}, "größe größ", [][2]int{{8, 14}}},
		{"ü", Options{Word: true}, "über ü", [][2]int{{6, 8}}},
		{"[a-c]+", Options{Word: true, Regex: true}, "abz ab zab,c", [][2]int{{4, 6}, {11, 12}}},
		{"-x", Options{Word: true}, "a-x -x", [][2]int{{4, 6}}},
		{"k", Options{}, "K\u212ak", [][2]int{{0, 1}, {1, 4}, {4, 5}}},
	} {
		p, err := Compile(tt.pattern, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Spans([]byte(tt.line)); !slices.Equal(got, tt.want) {
			t.Errorf("%q %+v in %q: %v, want %v", tt.pattern, tt.o, tt.line, got, tt.want)
		}
		if got := matching(p, tt.line); len(got) != 1 {
			t.Errorf("%q %+v: the line %q is not found", tt.pattern, tt.o, tt.line)
		}
	}
	if p, err := Compile("foo", Options{Word: true}); err != nil || matching(p, "foobar\nfoo_\nxfoo") != nil {
		t.Errorf("parts of words are found: %v", err)
	}
}

func TestRefusedPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"a(b": "missing closing ): a(b", "a**": "invalid nested repetition operator: **", "[z-a]": "invalid character class range: z-a", `\1`: `invalid escape sequence: \1`,
		"a)b": "unexpected ): a)b", "a\nb": "a line break: a match lies within one line", `a\nb`: "a line break: a match lies within one line", "(?=x)": "invalid or unsupported Perl syntax: (?=",
	} {
		if _, err := Compile(pattern, Options{Regex: true}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
	for _, pattern := range []string{"a(b", "[z-a]", `\1`, "a**"} {
		if p, err := Compile(pattern, Options{}); err != nil || len(matching(p, "x"+pattern+"y")) != 1 {
			t.Errorf("the literal %q is not found: %v", pattern, err)
		}
	}
}

// FuzzPattern compares what a pattern finds in a text with what its lines match alone.
func FuzzPattern(f *testing.F) {
	for _, pattern := range append(slices.Clone(patterns), expressions...) {
		f.Add(pattern, sample, true, false)
		f.Add(pattern, sample, false, true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, isRegex, sensitive bool) {
		o := Options{Regex: isRegex, Case: sensitive}
		p, err := Compile(pattern, o)
		if err != nil || pattern == "" || len(pattern) > 200 || len(text) > 2000 {
			return
		}
		want, got := naive(t, text, pattern, o), matching(p, text)
		if !slices.Equal(got, want) {
			t.Fatalf("%q %+v finds %q, want %q", pattern, o, got, want)
		}
		if len(want) > 0 && !p.Admits(Sign([]byte(text))) {
			t.Fatalf("%q %+v is not admitted", pattern, o)
		}
		for _, line := range got {
			for _, s := range p.Spans([]byte(line)) {
				if s[0] > s[1] || s[1] > len(line) {
					t.Fatalf("%q: span %v of %q", pattern, s, line)
				}
			}
		}
	})
}

func BenchmarkSign(b *testing.B) {
	text := []byte(strings.Repeat("func retryPayment(order Order) error {\n\treturn nil\n}\n", 200))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sign(text)
	}
}
