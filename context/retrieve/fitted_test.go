package retrieve

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// The embedded files are models of the current features.
func TestModelsFit(t *testing.T) {
	for name, m := range map[string]struct {
		file     []byte
		features int
	}{"fitted.bin": {fitted, NumFeatures}, "topic.bin": {topicFitted, NumTopicFeatures}} {
		got, err := rank.Load(m.file, m.features)
		if err != nil || len(got.Trees) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i, n := range FeatureNames {
		if n == "" {
			t.Errorf("feature %d has no name", i)
		}
	}
}

func TestRaise(t *testing.T) {
	for _, tt := range []struct{ p, factor, want float64 }{{.5, 1, .5}, {.5, 3, .75}, {.2, .5, 1. / 9}, {0, 9, 0}, {1, .1, 1}} {
		if got := Raise(tt.p, tt.factor); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Raise(%g, %g) = %g, want %g", tt.p, tt.factor, got, tt.want)
		}
	}
}

// Scores are probabilities, and a prompt about something else has low ones.
func TestElsewhere(t *testing.T) {
	s := open(t)
	for _, prompt := range []string{"what's 17% of 2340?", "a recipe for pancakes without buttermilk", "Wie spät ist es in Sydney?", "今天北京天气怎么样?", "who painted the girl with a pearl earring?"} {
		if !ask(s, prompt).Elsewhere {
			t.Errorf("%q is taken for a prompt about the workspace", prompt)
		}
	}
	for _, prompt := range []string{"where is the ledger opened?", "openLedger", "explain ledger/open.go", "which function rounds an amount of euros?"} {
		r := ask(s, prompt)
		if r.Elsewhere {
			t.Errorf("%q is taken for a prompt about something else", prompt)
		}
		for _, c := range r.Candidates {
			if !(c.Score >= 0 && c.Score <= 1) {
				t.Errorf("%q: a score of %g", prompt, c.Score)
			}
		}
	}
}

// Words of a prompt that meet in a place by chance are no evidence, those that meet there against
// all odds are, and what was guessed by its spelling never is.
func TestTogether(t *testing.T) {
	texts := map[string]string{"till/audit.go": "package till\n\n// audit compares the drawer with the receipts of the day.\nfunc audit() {}\n"}
	for i := range 40 {
		n := strings.Repeat("x", i+1)
		texts["shelf/"+n+".go"] = "package shelf\n\n// put" + n + " writes the job of a letter.\nfunc put" + n + "() {}\n"
	}
	s := index(t, texts)
	most := func(prompt string) (most float64) {
		_, seen := Observe(t.Context(), s, Request{Query: prompt, Mode: Hybrid, Limit: 50}, time.Now)
		most = math.Inf(-1)
		for _, o := range seen {
			most = max(most, o.Together)
		}
		return most
	}
	about, chance, guessed := most("compare the drawer with the receipts"), most("write a letter for a job"), most("auditt drawerr receiptts")
	if about <= 0 || chance >= 0 || guessed >= 0 {
		t.Errorf("together: %.1f about a place, %.1f by chance, %.1f by similar spelling", about, chance, guessed)
	}
}

// A quotation in a prompt is found as it is written, including common words.
func TestQuotations(t *testing.T) {
	texts := map[string]string{"a/say.go": "package a\n\nconst hint = \"\\n\\nDid you mean this?\\n\"\n"}
	for i := range 20 {
		texts["b/put"+strings.Repeat("x", i)+".go"] = "package b\n\n// put puts the text together that is meant.\nfunc put() {}\n"
	}
	s := index(t, texts)
	r := ask(s, "where is the \"Did you mean this?\" text put together?")
	if len(r.Candidates) == 0 || s.Chunk(r.Candidates[0].Chunk).Path != "a/say.go" {
		t.Errorf("found %v first", places(s, r))
	}
}

// A prompt that names something the workspace defines is about it, however many things have that
// name.
func TestManyMeaningsAreOfTheWorkspace(t *testing.T) {
	texts := map[string]string{}
	for i := range 20 {
		texts[string(rune('a'+i))+"/handle.go"] = "package p\n\n// Handle7 takes a session of the pool.\nfunc Handle7() {}\n"
	}
	s := index(t, texts)
	r := ask(s, "How does Handle7 take a session of the pool?")
	if kept := r.Worth(); r.Elsewhere || len(kept) == 0 {
		t.Errorf("%d places of a function that is defined %d times", len(kept), len(texts))
	}
}
