package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestListAndLoad(t *testing.T) {
	r := newRepo(t)
	one := r.commit("one\n\nWhy it is so.\n\nSigned-off-by: A <a@example.org>", "a.go", "1", "sub/b.go", "1")
	two := r.commit("two", "sub/b.go", "2", "sub/deep/c.go", "2")
	r.commit("nothing changes")
	r.git("checkout", "-q", "-b", "side", one)
	side := r.commit("side", "sub/d.go", "1")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "-s", "ours", "--no-ff", "-m", "merge", "side")
	merge := r.head()
	if err := os.Remove(r.sub("a.go")); err != nil {
		t.Fatal(err)
	}
	gone := r.commit("renames", "z.go", "1")

	want := []string{gone, one, side, two}
	got := mustList(t, r.dir, 100)
	if got[0] != gone {
		t.Errorf("the newest is %s", got[0])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("List %q, want %q", got, want)
	}
	if got := mustList(t, r.dir, 2); len(got) != 2 {
		t.Errorf("limit 2: %q", got)
	}
	if got := mustList(t, r.sub("sub/deep"), 9); !slices.Equal(got, []string{two}) {
		t.Errorf("sub/deep: %q", got)
	}

	cases := []struct {
		root, hash, message string
		files               []string
	}{
		{r.dir, one, "one\n\nWhy it is so.", []string{"a.go", "sub/b.go"}},
		{r.dir, two, "two", []string{"sub/b.go", "sub/deep/c.go"}},
		{r.dir, gone, "renames", []string{"a.go", "z.go"}},
		{r.dir, merge, "merge", nil},
		{r.sub("sub"), one, "one\n\nWhy it is so.", []string{"b.go"}},
		{r.sub("sub"), two, "two", []string{"b.go", "deep/c.go"}},
		{r.sub("sub"), gone, "renames", nil},
	}
	for _, c := range cases {
		commits := mustLoad(t, c.root, c.hash)
		if len(commits) != 1 || commits[0].Hash != c.hash || commits[0].Message != c.message || !slices.Equal(commits[0].Files, c.files) {
			t.Errorf("%s in %s: %+v, want %+v", c.hash, c.root, commits, c)
		}
		if age := time.Since(commits[0].Time); age < -time.Minute || age > time.Hour {
			t.Errorf("made at %v", commits[0].Time)
		}
	}
}

func TestLoadKeepsTheOrderAndLeavesOutWhatIsNotThere(t *testing.T) {
	r := newRepo(t)
	var hashes []string
	for i := range 20 {
		hashes = append(hashes, r.commit(fmt.Sprint("c", i), "f", fmt.Sprint(i)))
	}
	tree := r.git("rev-parse", "HEAD^{tree}")
	asked := []string{strings.Repeat("1", 40), hashes[7], tree, hashes[3], hashes[7], strings.Repeat("2", 64), hashes[19]}
	var got []string
	for _, c := range mustLoad(t, r.dir, asked...) {
		got = append(got, c.Message)
		if len(c.Files) != 1 {
			t.Errorf("%+v", c)
		}
	}
	if want := []string{"c7", "c3", "c7", "c19"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, bad := range []string{"", "HEAD", "--all", hashes[0][:10], hashes[0] + "\n--all", strings.ToUpper(hashes[0])} {
		if _, err := load(r.dir, []string{bad}); err == nil {
			t.Errorf("%q was taken for a commit's name", bad)
		}
	}
}

func TestOddNames(t *testing.T) {
	names := []string{"line\nend", "\nstart", "tab\t", "q\"uote'", "back\\slash", "b\xff\xfe", " space ", "ü/ö", "-dash", ":colon", "*?[x]"}
	for _, base := range []string{"", "odd\n\"folder\xff/"} {
		r := newRepo(t)
		var files []string
		for _, n := range names {
			files = append(files, base+n, "x")
		}
		hash := r.commit("\x01odd: ünï\n\n:100644 100644 a b M", files...)
		commits := mustLoad(t, r.sub(base), hash)
		want := slices.Sorted(slices.Values(names))
		if len(commits) != 1 || !slices.Equal(commits[0].Files, want) {
			t.Errorf("%+v, want %q", commits, want)
		}
		if got := mustList(t, r.sub(base), 9); !slices.Equal(got, []string{hash}) {
			t.Errorf("List %q", got)
		}
	}
}

func TestManyFilesSayNothing(t *testing.T) {
	r := newRepo(t)
	var files []string
	for i := range MaxFiles {
		files = append(files, fmt.Sprintf("d%d/f%02d", i%2, i), "x")
	}
	just := r.commit("just", files...)
	for i := 1; i < len(files); i += 2 {
		files[i] = "y"
	}
	over := r.commit("over", append(files, "one/more", "y")...)
	if got := mustLoad(t, r.dir, just)[0].Files; len(got) != MaxFiles {
		t.Errorf("%d files", len(got))
	}
	for _, root := range []string{r.dir, r.sub("one")} {
		if got := mustLoad(t, root, over)[0].Files; got != nil {
			t.Errorf("%d files of a commit that touches %d", len(got), MaxFiles+1)
		}
	}
}

func TestShallowClone(t *testing.T) {
	r := newRepo(t)
	for i := range 5 {
		r.commit(fmt.Sprint("c", i), "a", fmt.Sprint(i), "b", "same")
	}
	dir := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth", "2", "file://"+r.dir, dir)
	hashes := mustList(t, dir, 9)
	commits := mustLoad(t, dir, hashes...)
	if len(commits) != 2 || commits[0].Message != "c4" || commits[1].Message != "c3" {
		t.Fatalf("%+v", commits)
	}
	if !slices.Equal(commits[0].Files, []string{"a"}) || commits[1].Files != nil {
		t.Errorf("files %q and, at the edge, %q", commits[0].Files, commits[1].Files)
	}
}

func TestPartialClonesNeverFetch(t *testing.T) {
	r := newRepo(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	for i := range 3 {
		r.commit(fmt.Sprint("c", i), "sub/a", fmt.Sprint(i))
	}
	for _, filter := range []string{"blob:none", "tree:0"} {
		t.Run(filter, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "clone")
			r.git("clone", "-q", "--no-checkout", "--filter="+filter, "file://"+r.dir, dir)
			c := repo{t, dir}
			c.git("config", "protocol.file.allow", "always")
			// Any program started for a fetch would leave a trace.
			trace := filepath.Join(t.TempDir(), "trace")
			c.git("config", "remote.origin.uploadpack", "touch '"+trace+"'; git-upload-pack")
			if err := os.Mkdir(c.sub("sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			hashes := mustList(t, dir, 9)
			if len(hashes) != 3 {
				t.Errorf("List %q", hashes)
			}
			commits, err := load(dir, hashes)
			if len(commits) != 3 || commits[0].Message != "c2" || commits[2].Message != "c0" {
				t.Errorf("Load %+v", commits)
			}
			treeless := filter == "tree:0"
			if errors.Is(err, ErrNoTrees) != treeless {
				t.Errorf("Load: %v", err)
			}
			for _, c := range commits {
				if (c.Files == nil) != treeless {
					t.Errorf("files %q", c.Files)
				}
			}
			if _, err := List(context.Background(), c.sub("sub"), 9); errors.Is(err, ErrNoTrees) != treeless {
				t.Errorf("List of a sub-folder: %v", err)
			}
			if _, err := os.Stat(trace); err == nil {
				t.Error("it fetched")
			}
		})
	}
}

func TestMissingTreeInTheMiddle(t *testing.T) {
	r := newRepo(t)
	var hashes []string
	for i := range 5 {
		hashes = append(hashes, r.commit(fmt.Sprint("c", i), "a", fmt.Sprint(i)))
	}
	tree := r.git("rev-parse", hashes[2]+"^{tree}")
	if err := os.Remove(r.sub(".git/objects/" + tree[:2] + "/" + tree[2:])); err != nil {
		t.Fatal(err)
	}
	commits, err := load(r.dir, hashes)
	if !errors.Is(err, ErrNoTrees) {
		t.Errorf("Load: %v", err)
	}
	var got []string
	for _, c := range commits {
		got = append(got, fmt.Sprint(c.Message, c.Files))
	}
	// Whether c1 was printed completely is unknown once git has died.
	if want := []string{"c0[a]", "c1[]", "c2[]", "c3[]", "c4[]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSHA256(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	hash := r.commit("one", "a", "1")
	if r.head() != hash || len(hash) != 64 {
		t.Fatal(hash)
	}
	if commits := mustLoad(t, r.dir, mustList(t, r.dir, 9)...); len(commits) != 1 || commits[0].Hash != hash || len(commits[0].Files) != 1 {
		t.Errorf("%+v", commits)
	}
}

func TestReplacedCommitsAreReadAsTheyAre(t *testing.T) {
	r := newRepo(t)
	one := r.commit("one", "a", "1")
	two := r.commit("two", "b", "1")
	r.git("replace", two, one)
	if commits := mustLoad(t, r.dir, mustList(t, r.dir, 9)...); len(commits) != 2 || commits[0].Message != "two" {
		t.Errorf("%+v", commits)
	}
}

// TestHostileConfiguration opens a repository whose settings name programs and change formats.
func TestHostileConfiguration(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("one", "a.txt", "1", "sub/b", "1", ".gitattributes", "* diff=evil\n")
	trace := filepath.Join(t.TempDir(), "trace")
	run := "touch '" + trace + "'"
	for _, kv := range [][2]string{
		{"core.fsmonitor", run}, {"core.pager", run}, {"diff.external", run}, {"diff.evil.textconv", run},
		{"diff.evil.command", run}, {"gpg.program", run}, {"log.showSignature", "true"}, {"core.sshCommand", run},
		{"pager.log", run}, {"alias.diff-tree", "!" + run}, {"alias.rev-list", "!" + run}, {"format.pretty", "oneline"},
		{"diff.renames", "copies"}, {"core.quotepath", "true"}, {"log.date", "relative"}, {"color.ui", "always"},
		{"diff.noprefix", "true"}, {"diff.relative", "true"}, {"log.follow", "true"}, {"core.abbrev", "5"}, {"diff.orderFile", "order"},
		{"i18n.logOutputEncoding", "UTF-16"},
	} {
		r.git("config", kv[0], kv[1])
	}
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_EXTERNAL_DIFF", run)
	t.Setenv("GIT_PAGER", run)
	t.Setenv("GIT_TRACE", trace)
	t.Setenv("LANG", "de_DE.UTF-8")
	hashes := mustList(t, r.sub("sub"), 9)
	if !slices.Equal(hashes, []string{hash}) {
		t.Errorf("List %q", hashes)
	}
	commits := mustLoad(t, r.dir, hashes...)
	if len(commits) != 1 || commits[0].Message != "one" || !slices.Equal(commits[0].Files, []string{".gitattributes", "a.txt", "sub/b"}) {
		t.Errorf("%+v", commits)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a program of the repository's was run")
	}
}

func TestAnotherUsersRepository(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("one", "a", "1")
	if os.Geteuid() == 0 {
		if err := os.Chown(r.dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(r.sub(".git"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	} else {
		// Git has a switch for its own tests of this; environment removes it from real runs.
		keptVariables["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = true
		defer delete(keptVariables, "GIT_TEST_ASSUME_DIFFERENT_OWNER")
		t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	_, listErr := List(context.Background(), r.dir, 9)
	_, loadErr := load(r.dir, []string{hash})
	for _, err := range []error{listErr, loadErr} {
		if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "safe.directory") || !strings.Contains(err.Error(), r.dir) {
			t.Errorf("%v", err)
		}
	}
	if got, err := Head(t.Context(), r.dir); got != hash || err != nil {
		t.Errorf("Head %q %v", got, err)
	}
}

func TestNoGit(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("one", "a", "1")
	t.Setenv("PATH", t.TempDir())
	if got, err := Head(t.Context(), r.dir); got != hash || err != nil {
		t.Errorf("Head %q %v", got, err)
	}
	if _, err := List(context.Background(), r.dir, 9); !errors.Is(err, ErrNoGit) {
		t.Errorf("List %v", err)
	}
	if _, err := load(r.dir, []string{hash}); !errors.Is(err, ErrNoGit) {
		t.Errorf("Load %v", err)
	}
}

func TestYieldEndsTheRun(t *testing.T) {
	r := newRepo(t)
	var hashes []string
	for i := range 5 {
		hashes = append(hashes, r.commit(fmt.Sprint("c", i), "f", fmt.Sprint(i)))
	}
	for range 12 { // More than a pipe holds, so that git is still busy when the run ends.
		hashes = append(hashes, hashes...)
	}
	stop := errors.New("enough")
	n := 0
	err := Load(context.Background(), r.dir, hashes, func(Commit) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if err != stop || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n = 0
	err = Load(ctx, r.dir, hashes, func(Commit) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == len(hashes) {
		t.Errorf("%v after %d of %d", err, n, len(hashes))
	}
	if _, err := List(ctx, r.dir, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("List %v", err)
	}
}
