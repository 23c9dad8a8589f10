package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestShorten checks at every size that sections come whole or not at all, that no heading is
// empty, and that the last line names what is left out.
func TestShorten(t *testing.T) {
	sections := []string{
		"How to work here, in a few words.",
		"## Build\n\nRun `make build` before you hand a change in, and never without the race detector.\n\n```\n# no heading\nmake build\n```",
		"## Test\n\n- Every mended fault gets a test.\n- Tests sleep never.",
		"## Style\n### Go\n\nLines end at one hundred columns.",
		"### Shell\n\nScripts run in `dash`, in `bash` and in `zsh`.",
	}
	text := "# Shop\n\n" + strings.Join(sections, "\n\n")
	whole := counter.Count(text)
	if got := Shorten(text, whole, counter.Count); got != text {
		t.Errorf("what fits is shortened to %q", got)
	}
	for _, none := range []int{0, -5, 3} {
		if got := Shorten(text, none, counter.Count); got != "" {
			t.Errorf("%d tokens give %q", none, got)
		}
	}
	names, wholes := []string{"Build", "Test", "Go", "Shell"}, 0
	for most := 1; most < whole; most++ {
		got := Shorten(text, most, counter.Count)
		if n := counter.Count(got); n > most {
			t.Errorf("%d tokens became %d: %q", most, n, got)
		}
		if got == "" {
			continue
		}
		body, note, _ := strings.Cut(got, "\n\n[left out for lack of room: ")
		if note == "" || !strings.HasSuffix(note, "]") || strings.Contains(note, "\n") {
			t.Errorf("%d tokens: nothing says what is left out: %q", most, got)
		}
		checkHeadings(t, body)
		if slices.ContainsFunc(sections[1:], func(s string) bool { return strings.Contains(plain(body), plain(s)) }) {
			wholes++
			for i, name := range names {
				shown := strings.Contains(plain(body), plain(strings.TrimPrefix(sections[i+1], "## Style\n")))
				if part := strings.Contains(body, "# "+name); part != shown {
					t.Errorf("%d tokens: %s is cut: %q", most, name, got)
				}
				if !shown && !strings.Contains(note, name) && !strings.Contains(note, "section") {
					t.Errorf("%d tokens: nothing says that %s is left out: %q", most, name, got)
				}
			}
		}
	}
	if wholes == 0 {
		t.Error("no size keeps a whole section")
	}
}

// plain returns a text without its blank lines.
func plain(text string) string { return strings.ReplaceAll(text, "\n\n", "\n") }

// checkHeadings checks that text follows each heading, its subsections' included.
func checkHeadings(t *testing.T, text string) {
	t.Helper()
	list := splitSections(text)
	for i, sec := range list {
		if sec.body == "" && (i+1 == len(list) || list[i+1].level <= sec.level) {
			t.Errorf("the heading %q is empty in %q", sec.heading, text)
		}
	}
}

// TestShortenParts shortens texts of which no section fits whole.
func TestShortenParts(t *testing.T) {
	long := strings.Repeat("This sentence fills the section. ", 40)
	for _, tt := range []struct{ name, text, want string }{
		{"list", "# Rules\n\n- Never push.\n- Ask first,\n  always.\n- " + long, "# Rules\n- Never push.\n- Ask first,\n  always.\n\n[left out for lack of room: the rest of Rules]"},
		{"colon", "# Rules\n\nBe brief.\n\nWe use:\n\n- " + long, "# Rules\nBe brief.\n\n[left out for lack of room: the rest of Rules]"},
		{"fence", "Be brief.\n\n~~~\n# " + long + "\n\n- a\n~~~", "Be brief.\n\n[left out for lack of room: the rest of the text]"},
		{"only a fence", "# Rules\n\n```sh\n" + strings.ReplaceAll(long, ".", "\n") + "```\n", ""},
		{"lines", "Never push\nAsk first\n" + strings.ReplaceAll(long, ".", ""), "Never push\nAsk first\n\n[left out for lack of room: the rest of the text]"},
		{"introduction", "Be kind.\n\n# Rules\r\n\r\nBe brief.\r\n\r\n" + long + "\n# More\n\n" + long, "Be kind.\n\n# Rules\nBe brief.\n\n[left out for lack of room: the rest of Rules; More]"},
		{"no heading", "#!/bin/sh\n#define X\n" + strings.ReplaceAll(long, ".", ""), "#!/bin/sh\n#define X\n\n[left out for lack of room: the rest of the text]"},
		{"sentences", "# Rules\n\nNever push to\nmain. 先问。" + long[:400], "# Rules\nNever push to\nmain. 先问。" + strings.TrimSpace(strings.Repeat("This sentence fills the section. ", 4)) + "\n\n[left out for lack of room: the rest of Rules]"},
		{"one endless line", strings.ReplaceAll(long, ".", ""), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Shorten(tt.text, 60, counter.Count); got != tt.want {
				t.Errorf("Shorten = %q, want %q", got, tt.want)
			}
		})
	}
}

// Of many sections the note names as many as there is room for.
func TestShortenManySections(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "# Heading %d\n\n%s\n\n", i, strings.Repeat("A rule that is long enough to matter. ", 5))
	}
	got := Shorten(text.String(), 200, counter.Count)
	if n := counter.Count(got); n > 200 || n < 150 || !strings.Contains(got, "# Heading 0\nA rule") || !strings.Contains(got, "; and 2") || !strings.HasSuffix(got, " sections more]") {
		t.Errorf("%d tokens: %q", n, got)
	}
}

// TestShortenRules checks at every size that rules come before what is none, under their headings.
func TestShortenRules(t *testing.T) {
	text := "# Shop\n\nThe shop sells boats.\n\n## History\n\nIt was rewritten twice.\n\n```\nnever a rule\n```\n\n## Rules\n\n" +
		"- Never push to main. " + strings.Repeat("It is protected. ", 10) + "\n- Never log amounts.\n- Cents, never floats.\n\n## More\n\nNever sleep in tests.\n"
	rate := func(sentence string) float64 {
		if strings.Contains(strings.ToLower(sentence), "never") {
			return .9
		}
		return .1
	}
	rules := 0
	for most := 1; most < counter.Count(text); most++ {
		got := ShortenRules(text, most, counter.Count, rate)
		if n := counter.Count(got); n > most {
			t.Errorf("%d tokens became %d: %q", most, n, got)
		}
		body, _, _ := strings.Cut(got, "[left out")
		checkHeadings(t, body)
		if strings.Contains(body, "Never log") {
			rules++
			if strings.Contains(body, "boats") && !strings.Contains(body, "Cents") {
				t.Errorf("%d tokens show what is no rule instead of one: %q", most, got)
			}
		}
		if strings.Contains(body, "never a rule") && !strings.Contains(body, "rewritten") {
			t.Errorf("%d tokens show code as a rule: %q", most, got)
		}
	}
	if rules == 0 {
		t.Error("no size keeps a rule")
	}
	want := "# Shop\nThe shop sells boats.\n\n## Rules\n- Never log amounts.\n- Cents, never floats.\n\n## More\nNever sleep in tests.\n\n[left out for lack of room: History; the rest of Rules]"
	if got := ShortenRules(text, 50, counter.Count, rate); got != want {
		t.Errorf("ShortenRules = %q, want %q", got, want)
	}
}

func TestFairShares(t *testing.T) {
	got := fairShares(map[int]int{0: 900, 2: 20, 3: 400, 5: 30}, 350)
	for i, want := range map[int]int{2: 87, 5: 110, 3: 150, 0: 150} {
		if got[i] != want {
			t.Errorf("fairShares = %v, want %d for %d", got, want, i)
			break
		}
	}
}
