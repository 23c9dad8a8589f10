//go:build unix

package memory

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// The part that a process of this test plays, and its folder.
const (
	playEnv   = "CONTEXTURE_TEST_PLAY"
	folderEnv = "CONTEXTURE_TEST_FOLDER"
	stageEnv  = "CONTEXTURE_TEST_STAGE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(playEnv) {
	case "full":
		fillDisk(os.Getenv(folderEnv))
	case "learn":
		fillWhileLearning(os.Getenv(folderEnv))
	case "hold":
		holdMemory(os.Getenv(folderEnv))
	default:
		os.Exit(m.Run())
	}
}

// plays starts a process that plays a part.
func plays(t *testing.T, part, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), playEnv+"="+part, folderEnv+"="+dir)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

func openPlain(dir string) (*Memory, *Workspace, error) {
	m, err := Open(context.Background(), Options{
		Dir: dir, Count: words, Encoding: "words",
		Terms: func(text string, yield func(string)) {
			for _, w := range strings.Fields(text) {
				yield(w)
			}
		},
		Block:    func(tag, body string) string { return tag + body },
		Relative: func(_, _ string) (string, bool) { return "", false },
	})
	if err != nil {
		return nil, nil, err
	}
	w, err := m.Workspace(context.Background(), "/r")
	return m, w, err
}

// fillDisk appends until files cannot grow, which for a store equals a full disk, and reports the
// answer.
func fillDisk(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	m, w, err := openPlain(dir)
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	limit := syscall.Rlimit{Cur: 128 << 10, Max: 128 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("setrlimit:", err)
	}
	acked := 0
	for ; err == nil && acked < 2000; acked++ {
		_, err = w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{
			{Role: dialogue.User, ID: fmt.Sprint(acked), Content: fmt.Sprintf("message %d %s", acked, strings.Repeat("noise ", 200))},
		}})
		if err != nil {
			break
		}
	}
	fmt.Println("acked", acked)
	fmt.Println("append:", err)
	_, err = w.PutKnowledge(knowledge.Item{Kind: knowledge.Rule, Title: "t", Content: "c"})
	fmt.Println("put:", err)
	_, err = m.Workspace(context.Background(), "/another")
	fmt.Println("workspace:", err)
	v := w.View()
	info, err := v.Conversations.Find("c")
	last, turnErr := v.Conversations.Turn(info, acked)
	hits, searchErr := v.Messages.Search(context.Background(), nil, "message", 0, 5)
	fmt.Println("read:", info.Messages >= acked && len(last.Messages) > 0 && len(hits) > 0, errors.Join(err, turnErr, searchErr))
	v.Close()
	closed := make(chan error)
	go func() { closed <- m.Close() }()
	select {
	case err := <-closed:
		fmt.Println("close:", err)
	case <-time.After(10 * time.Second):
		fmt.Println("close: hangs")
	}
}

// TestFullDisk checks that appends to a full disk fail with advice, that reading works, and that a
// start with free space has everything acknowledged.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	cmd := plays(t, "full", dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		what, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[what] = answer
	}
	for _, what := range []string{"append", "put", "workspace", "close"} {
		if answer := said[what]; !strings.Contains(answer, dir) || !strings.Contains(answer, "make room") || strings.Contains(answer, "damaged") {
			t.Errorf("%s is answered %q", what, answer)
		}
	}
	if said["read"] != "true <nil>" {
		t.Errorf("reading gives %q", said["read"])
	}
	var acked int
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "acked %d", &acked)
	}
	if acked == 0 || acked == 2000 {
		t.Fatalf("acknowledged %d\n%s", acked, out)
	}
	m := opened(t, dir)
	defer m.Close()
	w := workspace(t, m)
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("c")
	if err != nil || info.Messages < acked {
		t.Fatalf("%d messages of %d, %v", info.Messages, acked, err)
	}
	for n := 1; n <= acked; n++ {
		turn, err := v.Conversations.Turn(info, n)
		if err != nil || len(turn.Messages) != 1 || !strings.HasPrefix(turn.Messages[0].Content, fmt.Sprintf("message %d noise", n-1)) {
			t.Fatalf("turn %d: %v, %v", n, turn, err)
		}
	}
	tellAll(t, w, "c", talk(1, 1)...)
}

// holdMemory keeps a memory open until its standard input ends.
func holdMemory(dir string) {
	m, _, err := openPlain(dir)
	fmt.Println("open:", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err == nil {
		_ = m.Close()
	}
}

// TestMemoryHeldByAnotherProcess checks that opening a memory held by another process fails soon,
// with that process's number, and succeeds once the process has exited.
func TestMemoryHeldByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := plays(t, "hold", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open: <nil>\n" || err != nil {
		t.Fatal(line, err)
	}
	began := time.Now()
	_, _, err = openPlain(dir)
	var locked *store.LockedError
	if !errors.As(err, &locked) || locked.Holder != cmd.Process.Pid || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v, held by %d", err, time.Since(began), cmd.Process.Pid)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	m, _, err := openPlain(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = m.Close()
}

// grown creates a memory with data in its tables, and closes it.
func grown(t *testing.T, dir string) {
	t.Helper()
	for i := range 3 { // data of one process is in tables once the next has opened it
		m := opened(t, dir)
		w := workspace(t, m)
		tellAll(t, w, fmt.Sprint("c", i), talk(uint64(i), 40)...)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func globbed(t *testing.T, pattern ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(paths) == 0 {
		t.Fatal(pattern, paths, err)
	}
	return paths
}

// TestDamagedIsRefused checks that a memory with damaged files does not open, is not created again,
// and that no byte of it changes.
func TestDamagedIsRefused(t *testing.T) {
	for _, files := range []string{"*.sst", "MANIFEST-*", "*.log"} {
		t.Run(files, func(t *testing.T) {
			dir := t.TempDir()
			grown(t, dir)
			for _, path := range globbed(t, dir, "db", files) {
				if err := os.WriteFile(path, bytes.Repeat([]byte("damage "), 40), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := filesIn(t, dir)
			for range 2 {
				_, _, err := openPlain(dir)
				var corrupt *store.CorruptError
				if !errors.As(err, &corrupt) || corrupt.Checkpoint == "" || !strings.Contains(err.Error(), dir) {
					t.Fatalf("%v", err)
				}
			}
			after := filesIn(t, dir)
			for path := range after {
				if filepath.Base(path) != "LOCK" && after[path] != before[path] {
					t.Errorf("%s was changed", path)
				}
			}
			for path := range before {
				if _, ok := after[path]; !ok {
					t.Errorf("%s is gone", path)
				}
			}
		})
	}
}

// TestDamageFoundLater damages a block of a table that no start reads. An operation that reads it
// fails with advice; all others work.
func TestDamageFoundLater(t *testing.T) {
	dir := t.TempDir()
	grown(t, dir)
	for _, path := range globbed(t, dir, "db", "*.sst") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(b) / 3 {
			b[i] ^= 0x55
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, w, err := openPlain(dir)
	var corrupt *store.CorruptError
	if err == nil {
		v := w.View()
		err = v.Export(io.Discard)
		v.Close()
	}
	if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), "checkpoints") || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if m != nil {
		if err := m.Close(); err != nil && !errors.As(err, &corrupt) {
			t.Errorf("close: %v", err)
		}
	}
}
