package history

import (
	"errors"
	"strings"
	"testing"
)

func TestFirst(t *testing.T) {
	r := newRepo(t)
	if first, err := First(t.Context(), r.dir); first != "" || err != nil {
		t.Errorf("without a commit: %q, %v", first, err)
	}
	r.commit("one", "a", "1")
	want := r.git("rev-parse", "HEAD")
	r.commit("two", "a", "2")
	r.git("checkout", "-q", "--orphan", "other")
	r.commit("elsewhere", "b", "1")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--allow-unrelated-histories", "-m", "both", "other")
	if first, err := First(t.Context(), r.dir); first != want || err != nil {
		t.Errorf("after a merge of another history: %q, %v, want %q", first, err, want)
	}
	clone := newRepo(t)
	clone.git("pull", "-q", r.dir, "main")
	if first, err := First(t.Context(), clone.dir); first != want || err != nil {
		t.Errorf("in a clone: %q, %v", first, err)
	}
	shallow := newRepo(t)
	shallow.git("fetch", "-q", "--depth", "1", "file://"+r.dir, "main")
	shallow.git("reset", "-q", "--hard", "FETCH_HEAD")
	if _, err := First(t.Context(), shallow.dir); !errors.Is(err, ErrShallow) {
		t.Errorf("in a shallow clone: %v", err)
	}
	if !Has(t.Context(), r.dir, want) || Has(t.Context(), t.TempDir(), want) || Has(t.Context(), r.dir, strings.Repeat("0", len(want))) || Has(t.Context(), r.dir, "--all") {
		t.Error("it has what it has not, or not what it has")
	}
	if first, err := First(t.Context(), t.TempDir()); first != "" || err != nil {
		t.Errorf("without a repository: %q, %v", first, err)
	}
}
