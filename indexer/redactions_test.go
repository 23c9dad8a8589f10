package indexer

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestRedactions(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n\nvar x = \""+planted+"\"\n\nfunc A() {}\n\nvar y = \"zyxquux99\"\n")
	w.write("own.md", "# Marks\n\nA secret becomes [REDACTED:test] or [REDACTED:other].\n")
	w.write("both.md", "# Both\n\n[REDACTED:test] stands for "+planted+", and REDACTED for nothing.\n")
	w.write("clean.go", "package clean\n")
	x := w.index(redacted)
	check := func(want ...Redaction) {
		t.Helper()
		got, err := x.Redactions(t.Context(), false)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		if again, err := x.Redactions(t.Context(), true); err != nil || !slices.Equal(again, want) {
			t.Errorf("continued: %+v, %v; want %+v", again, err, want)
		}
	}
	check(Redaction{"a.go", "test", 2}, Redaction{"both.md", "test", 1})
	w.remove("a.go")
	if err := x.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	settle(t, x)
	check(Redaction{"both.md", "test", 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Redactions(ctx, false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRedactionsWithoutRedact(t *testing.T) {
	w := newWorkspace(t)
	w.write("own.md", "# Marks\n\nA secret becomes [REDACTED:test].\n")
	if got, err := w.index().Redactions(t.Context(), false); err != nil || len(got) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
