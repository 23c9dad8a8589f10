package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

const testLog = ".claude/projects/-w/s.jsonl"

func said(n int, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s","message":{"content":%s}}`+"\n", n, jsonText(text))
}

func called(n int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"a%d","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{}}]}}`+"\n", n, n)
}

func answered(n int, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"r%d","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","content":%s}]}}`+"\n", n, n, jsonText(text))
}

// TestTornLine checks that a line that is still being written is read once it is complete, by this
// process or the next.
func TestTornLine(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		b := newBench(t)
		line := said(2, "Two, with ünïcode.")
		b.write(testLog, said(1, "One.")+line[:len(line)-20])
		b.bring(ClaudeCode)
		b.want("== claude-code/s\nuser: One.\n")
		if restarts {
			b.restart()
		}
		b.append(testLog, line[len(line)-20:len(line)-1]) // complete except for its end
		b.bring(ClaudeCode)
		b.append(testLog, "\n"+said(3, "Three."))
		b.bring(ClaudeCode)
		b.want("== claude-code/s\nuser: One.\nuser: Two, with ünïcode.\nuser: Three.\n")
		if u := b.status(ClaudeCode).Unknown; len(u) > 0 {
			t.Errorf("unknown: %+v", u)
		}
	}
}

// TestEachByteOnce writes a log byte by byte, restarting the process now and then: the stored
// messages are those of a single reading of the whole log.
func TestEachByteOnce(t *testing.T) {
	whole := said(1, "One.") + called(1) + answered(1, "ok") + called(2) + called(3) + answered(3, "three") + answered(2, "two") +
		`{"type":"odd"}` + "\n" + said(2, "Two.") + called(4) + said(3, "Stop.")
	once := newBench(t)
	once.write(testLog, whole)
	once.bring(ClaudeCode)
	for _, every := range []int{1, 7, 50} {
		b := newBench(t)
		b.write(testLog, "")
		for i := range len(whole) {
			b.append(testLog, whole[i:i+1])
			if i%every == 0 {
				b.bring(ClaudeCode)
			}
			if i%(13*every) == 0 {
				b.restart()
			}
		}
		b.bring(ClaudeCode)
		b.want(once.keeper.text())
		if u := b.status(ClaudeCode).Unknown["odd"]; u.Count != 1 || u.Line != 8 {
			t.Errorf("read every %d bytes: unknown %+v", every, u)
		}
	}
}

// TestCallWithoutResult checks that a call without a result is stored after its log has been
// unchanged for long, and that a late result is stored too.
func TestCallWithoutResult(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "One.")+called(1))
	b.bring(ClaudeCode)
	b.want("== claude-code/s\nuser: One.\n")
	b.clock.forward(2 * callSettles)
	b.bring(ClaudeCode)
	b.want("== claude-code/s\nuser: One.\nassistant:  [Bash {} → ]\n")
	b.append(testLog, answered(1, "late"))
	b.bring(ClaudeCode)
	b.want("== claude-code/s\nuser: One.\nassistant:  [Bash {} → ]\ntool: late\n")
}

// TestLogRewritten checks that a log whose bytes before the offset have changed is read from its
// beginning, and adds nothing twice.
func TestLogRewritten(t *testing.T) {
	for name, after := range map[string]string{
		"shorter":     said(1, "One."),
		"same length": said(1, "Uno.") + said(2, "Two."),
		"longer":      said(9, "Nine, which is new and stands before all others.") + said(1, "One.") + said(2, "Two."),
	} {
		for _, restarts := range []bool{false, true} {
			b := newBench(t)
			b.write(testLog, said(1, "One.")+said(2, "Two."))
			b.bring(ClaudeCode)
			if restarts {
				b.restart()
			}
			b.write(testLog, after+said(3, "Three."))
			b.bring(ClaudeCode)
			want := 3
			if name == "longer" {
				want = 4
			}
			if n := b.keeper.count(); n != want {
				t.Errorf("%s, restarted %t: %d messages\n%s", name, restarts, n, b.keeper.text())
			}
		}
	}
}

// TestHostileLogs checks that an invalid log is reported and does not prevent other logs from being
// read.
func TestHostileLogs(t *testing.T) {
	b := newBench(t)
	b.write(".claude/projects/-w/nul.jsonl", strings.Repeat("\x00", 5000)+"\n"+said(1, "After zeros.")+"\x00\x00"+strings.TrimSpace(said(2, "Among zeros."))+"\x00\n")
	b.write(".claude/projects/-w/deep.jsonl", strings.Repeat("[", 20000)+"\n"+`{"type":7}`+"\n[1]\n\"x\"\n")
	b.write(".claude/projects/-w/future.jsonl", `{"v":9,"type":"turn","payload":{}}`+"\n")
	b.write(".claude/projects/-w/long.jsonl", `{"type":"user","uuid":"l","message":{"content":"`+strings.Repeat("x", maxLineBytes+10)+`"}}`+"\n"+said(3, "After a long line."))
	if err := os.Mkdir(b.path(".claude/projects/-w/folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.bring(ClaudeCode)
	if n, got := b.keeper.count(), b.keeper.text(); n != 3 || !strings.Contains(got, "After zeros.") || !strings.Contains(got, "Among zeros.") ||
		!strings.Contains(got, "After a long line.") {
		t.Errorf("%d messages:\n%.1000s", n, got)
	}
	st := b.status(ClaudeCode)
	for kind, count := range map[string]int{
		"broken line": 1, "record with a field of another type": 1, "array in place of a record": 1, "value in place of a record": 1,
		"turn": 1, "line over 64 MiB": 1,
	} {
		if st.Unknown[kind].Count != count {
			t.Errorf("%s: %+v, want %d", kind, st.Unknown[kind], count)
		}
	}
}

// TestUnreadable checks that a log that cannot be read is reported, and is read once that is
// possible.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		b := newBench(t)
		b.write(".continue/sessions/big.json", "")
		if err := os.Truncate(b.path(".continue/sessions/big.json"), maxDocumentBytes+1); err != nil {
			t.Fatal(err)
		}
		done, err := b.follower.Import(t.Context(), []string{Continue}, time.Time{})
		if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], "big.json: it has 67108865 bytes") {
			t.Errorf("%+v, %v", done, err)
		}
		return
	}
	b := newBench(t)
	b.write(testLog, said(1, "One."))
	if err := os.Chmod(b.path(testLog), 0); err != nil {
		t.Fatal(err)
	}
	done, err := b.follower.Import(t.Context(), []string{ClaudeCode}, time.Time{})
	if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], "s.jsonl: permission denied") {
		t.Errorf("%+v, %v", done, err)
	}
	if err := os.Chmod(b.path(testLog), 0o600); err != nil {
		t.Fatal(err)
	}
	if b.bring(ClaudeCode) != 1 || len(b.status(ClaudeCode).Errors) > 0 {
		t.Errorf("status %+v", b.status(ClaudeCode))
	}
}

// TestStoreFails checks that messages that the store rejects are passed to it again.
func TestStoreFails(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "One.")+called(1))
	b.keeper.fails = errors.New("the disk is full")
	done, err := b.follower.Import(t.Context(), []string{ClaudeCode}, time.Time{})
	if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], "the disk is full") {
		t.Fatalf("%+v, %v", done, err)
	}
	b.append(testLog, answered(1, "ok"))
	b.keeper.fails = nil
	b.bring(ClaudeCode)
	b.want("== claude-code/s\nuser: One.\nassistant:  [Bash {} → \"ok\"]\n")
	if st := b.status(ClaudeCode); len(st.Errors) > 0 || st.Messages != 2 {
		t.Errorf("status %+v", st)
	}
}

// TestWaitsAreBounded checks that an import keeps little of a large log in memory, even if a call
// waits throughout.
func TestWaitsAreBounded(t *testing.T) {
	b := newBench(t)
	var log strings.Builder
	log.WriteString(strings.ReplaceAll(called(1), `"sessionId":"s"`, `"sessionId":"other"`))
	for n := range 20 * maxBatchMessages {
		log.WriteString(said(n, "More."))
	}
	b.write(testLog, log.String())
	b.bring(ClaudeCode)
	if b.keeper.most > maxWaits || b.keeper.waits != 0 {
		t.Errorf("%d batches were kept at a time, %d are still", b.keeper.most, b.keeper.waits)
	}
}

// TestStateNotWritable checks that a state directory that cannot be written to is reported, and
// that what was read is still stored.
func TestStateNotWritable(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "One."))
	writeAt(t, filepath.Join(b.state, folder, markFolder), "a file where a folder should be")
	done, err := b.follower.Import(t.Context(), []string{ClaudeCode}, time.Time{})
	if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], "store the position in "+b.path(testLog)+": ") {
		t.Errorf("%+v, %v", done, err)
	}
	b.want("== claude-code/s\nuser: One.\n")
}

// TestStateHoldsNoText checks that the state directory contains no word of a conversation.
func TestStateHoldsNoText(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "Zanzibar.")+`{"type":"custom-title","sessionId":"s","customTitle":"Zanzibar"}`+"\n"+
		`{"type":"Zanzibar? said the person and went on and on","sessionId":"s"}`+"\n"+called(1)+`{"type":"user","mess`)
	b.bring(ClaudeCode)
	err := filepath.WalkDir(b.state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), `Zanzibar."`) || strings.Contains(string(text), "Bash") {
			t.Errorf("%s: %s", path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRejectedSessions checks that sessions that the store rejects are counted by reason, and are
// passed to it again later.
func TestRejectedSessions(t *testing.T) {
	b := newBench(t)
	b.keeper.left = LeftForgotten
	b.write(testLog, said(1, "One."))
	b.bring(ClaudeCode)
	if st := b.status(ClaudeCode); st.Left[LeftForgotten] != 1 || st.Sessions != 0 || st.Messages != 0 {
		t.Errorf("status %+v", st)
	}
}

// following runs a follower until the test ends.
func (b *bench) following() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	var run sync.WaitGroup
	run.Go(func() { b.follower.Run(ctx) })
	b.t.Cleanup(func() { cancel(); run.Wait() })
}

// await waits until n messages are stored.
func (b *bench) await(n int) {
	b.t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for b.keeper.count() < n {
		select {
		case <-b.keeper.stored:
		case <-late.C:
			b.t.Fatalf("%d messages, want %d:\n%s", b.keeper.count(), n, b.keeper.text())
		}
	}
}

// TestFollow follows logs in folders that do not exist yet, from the time of the consent.
func TestFollow(t *testing.T) {
	b := newBench(t)
	b.following()
	if err := SetConsent(b.state, ClaudeCode, true); err != nil { // as another process does
		t.Fatal(err)
	}
	b.write(testLog, said(1, "One."))
	b.await(1)
	b.append(testLog, said(2, "Two."))
	b.await(2)
	b.write(".claude/projects/-other/deep/subagents/x.jsonl", `{"type":"assistant","uuid":"z","sessionId":"s2","isSidechain":true,"agentId":"x","message":{"content":"Aside."}}`+"\n")
	b.await(3)
	if err := os.Rename(b.path(".claude/projects/-other"), b.path(".claude/projects/-moved")); err != nil {
		t.Fatal(err)
	}
	b.append(".claude/projects/-moved/deep/subagents/x.jsonl", `{"type":"assistant","uuid":"y","sessionId":"s2","isSidechain":true,"agentId":"x","message":{"content":"More."}}`+"\n")
	b.await(4)
	if st := b.status(ClaudeCode); st.Watching == "" || !st.On {
		t.Errorf("status %+v", st)
	}
}

// TestFollowSettles checks that a document's last answer is stored once the log is unchanged for a
// while, without another event.
func TestFollowSettles(t *testing.T) {
	b := newBench(t)
	b.follower.now = time.Now
	if err := b.follower.Set(Continue, true); err != nil {
		t.Fatal(err)
	}
	b.following()
	b.write(".continue/sessions/k.json", `{"sessionId":"k","history":[{"message":{"role":"user","content":"Hi"}},{"message":{"role":"assistant","content":"Ho"}}]}`)
	b.await(2)
}

// TestFollowReadsMissedText reads what was written while no follower ran, and nothing from before
// the consent.
func TestFollowReadsMissedText(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "One."))
	old := ".claude/projects/-w/old.jsonl"
	b.write(old, strings.ReplaceAll(said(1, "Old."), `"s"`, `"old"`))
	long := time.Now().Add(-time.Hour)
	for _, rel := range []string{old, testLog} {
		if err := os.Chtimes(b.path(rel), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := SetConsent(b.state, ClaudeCode, true); err != nil {
		t.Fatal(err)
	}
	b.append(testLog, said(2, "Two."))
	b.following()
	b.await(2)
	b.want("== claude-code/s\nuser: One.\nuser: Two.\n")
}

// TestFollowerSleepsWithoutEvents checks that a follower without an event sleeps until something is
// due, whatever happened to the logs.
func TestFollowerSleepsWithoutEvents(t *testing.T) {
	b := newBench(t)
	w := &watching{f: b.follower, dirs: map[string]bool{}}
	rests := func(when string, want time.Duration) {
		t.Helper()
		w.pass(t.Context())
		if got := w.next(); got > want+time.Second || got < want-want/100-time.Second || want == 0 && got != 0 {
			t.Errorf("%s: sleeps for %s, want %s", when, got, want)
		}
	}
	rests("nothing is on", 0)
	if err := b.follower.Set(ClaudeCode, true); err != nil {
		t.Fatal(err)
	}
	b.write(testLog, said(1, "One."))
	rests("all is read", 0)
	b.append(testLog, called(1))
	b.follower.Rescan()
	rests("a call waits", callSettles)
	b.keeper.fails = errors.New("full")
	b.append(testLog, said(2, "Two."))
	b.follower.Rescan()
	rests("the store fails", firstRetry)
	b.clock.forward(firstRetry)
	rests("it fails again", 2*firstRetry)
	b.keeper.fails = nil
	b.clock.forward(2 * firstRetry)
	rests("it does not fail any more", 0)
	b.append(testLog, called(2))
	b.follower.Rescan()
	rests("another call waits", callSettles)
	if err := errors.Join(SetConsent(b.state, ClaudeCode, false), os.Remove(b.path(testLog))); err != nil {
		t.Fatal(err)
	}
	b.clock.forward(callSettles)
	rests("the source is off", 0)
}

// TestRemovedLog checks that messages that waited for the rest of a removed log are stored.
func TestRemovedLog(t *testing.T) {
	b := newBench(t)
	b.write(testLog, said(1, "One.")+called(1))
	b.bring(ClaudeCode)
	if err := os.Remove(b.path(testLog)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.follower.read(t.Context(), b.follower.file(sourceOf(ClaudeCode), b.path(testLog))); err != nil {
		t.Fatal(err)
	}
	b.want("== claude-code/s\nuser: One.\nassistant:  [Bash {} → ]\n")
}

// TestPoke checks that a poke reads a log at once, and only a log of a source.
func TestPoke(t *testing.T) {
	b := newBench(t)
	if on, err := b.follower.Poke(ClaudeCode, ""); on || err != nil {
		t.Errorf("poked without consent: %t, %v", on, err)
	}
	if err := b.follower.Set(ClaudeCode, true); err != nil {
		t.Fatal(err)
	}
	if on, err := b.follower.Poke(ClaudeCode, b.path(testLog)); !on || err != nil {
		t.Errorf("poked: %t, %v", on, err)
	}
	var elsewhere *PlaceError
	for _, path := range []string{b.path("secret.jsonl"), b.path(".claude/projects/../../secret.jsonl"), "relative.jsonl"} {
		if _, err := b.follower.Poke(ClaudeCode, path); !errors.As(err, &elsewhere) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestFollowFolderCreatedMeanwhile checks that a log is read whose folders are created while the
// watches are set.
func TestFollowFolderCreatedMeanwhile(t *testing.T) {
	b := newBench(t)
	system, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = system.Close() }()
	w := &watching{f: b.follower, system: system, dirs: map[string]bool{}}
	last := b.path(".continue/sessions")
	for _, name := range []string{".continue", ".continue/sessions"} {
		create := b.path(name)
		dir := w.addNearest(last, func(near string) {
			if near == filepath.Dir(create) {
				if err := os.MkdirAll(create, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		})
		if dir != create || !w.dirs[create] {
			t.Fatalf("watches %s instead of %s: %v", dir, create, w.dirs)
		}
	}
}
