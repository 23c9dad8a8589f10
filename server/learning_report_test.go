package server

import (
	"testing"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/engine"
)

// TestLearningReportAfterClose checks that a session that still reports the progress of learning
// does not read a closed memory.
func TestLearningReportAfterClose(t *testing.T) {
	v, err := New(engine.Options{StateDir: t.TempDir(), ConfigDir: t.TempDir(), Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	l := v.Local(t.Context(), engine.SessionOptions{Root: root, NoIndex: true, Offline: true})
	w, err := v.Memory(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.learning.Run(t.Context(), w, memory.Processing{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	report := learningReport{server: v, session: l.session, told: map[string]int{}}
	if _, ok := report.Report(); !ok || len(report.told) != 1 {
		t.Errorf("before: %v, told %v", ok, report.told)
	}
	clear(report.told)
	v.learning.Close()
	if _, ok := report.Report(); ok || len(report.told) > 0 {
		t.Error("it told of a memory that is closed")
	}
	l.Close()
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}
