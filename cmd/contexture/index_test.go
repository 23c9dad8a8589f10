package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/request"
)

// TestSummaryIsSafe: nothing of an index's errors, which have names of files, controls a terminal.
func TestSummaryIsSafe(t *testing.T) {
	var out, errs bytes.Buffer
	w := &workspace{root: t.TempDir(), about: &request.WorkspaceResult{IndexDir: t.TempDir()}, env: &environment{getenv: func(string) string { return "" }, stdout: closing{&out}, stderr: &errs}}
	st := indexer.Status{
		Files: 1, Errors: []string{"read a\x1b[2Jb.go: denied\nand more"},
		Quarantined: []indexer.Quarantine{{Path: "c\x1b[2Jd.go", Reason: "too\rdeep"}},
	}
	if err := summarizeIndex(w, st, indexer.ModelStatus{}, time.Second); err != nil {
		t.Fatal(err)
	}
	if text := out.String() + errs.String(); strings.ContainsAny(text, "\x1b\r") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%q", text)
	}
	if !strings.Contains(errs.String(), `denied\nand more`) || !strings.Contains(out.String(), "d.go") {
		t.Errorf("%q and %q lack what they say", out.String(), errs.String())
	}
}
