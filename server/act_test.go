package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// ranIn is an assistant's message that ran a command.
func ranIn(folder, line, result string, failed bool) args {
	return assistant("I run it.", "at", "2026-10-05T11:00:00Z", "toolCalls", []args{{"name": "Bash", "arguments": args{"command": line, "cwd": folder}, "result": result, "isError": failed}})
}

// TestHowACommandWasRun checks that the lines of a command are told with their outcomes and with
// what passed after a failure, and that the asking conversation and what only speaks of the command
// are left out.
func TestHowACommandWasRun(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"pool.go": source("openPool")})}})
	say(t, e, "monday",
		user("Test the pool, please.", "at", "2026-10-05T09:00:00Z"),
		ranIn("/w/shop", "go test ./pool -run Drain", "pool.go:7: error: pool 7 is not drained", true),
		user("Again?", "at", "2026-10-05T10:00:00Z"),
		ranIn("/w/shop", "cd /w/other && go test ./pool -count=1", "ok", false))
	say(t, e, "tuesday",
		user("Does go test ./pool pass?", "at", "2026-10-05T10:30:00Z"),
		ranIn("/w/shop", "go test ./pool -run Drain", "pool.go:9: error: pool 9 is not drained", true),
		ranIn("/w/shop", "grep -rn go test ./pool", "", false),
		ranIn("/w/shop", "go vet ./...", "", false))
	how := func(a args) command.ActResult { t.Helper(); return ask[command.ActResult](t, e, "contexture.act", a) }
	got := how(args{"command": "go test", "limit": 5})
	if len(got.Runs) != 2 || len(got.Statements) > 0 || got.MoreRuns {
		t.Fatalf("%+v", got)
	}
	passed, failed := got.Runs[0], got.Runs[1]
	if passed.Command != "go test ./pool -count=1" || passed.Folder != "/w/other" || passed.Times != 1 || passed.Failures != 0 || passed.Outcome != "passed" ||
		passed.ConversationID != "monday" || passed.TurnID != "T-2" || passed.Passed != nil {
		t.Errorf("what passed: %+v", passed)
	}
	if failed.Command != "go test ./pool -run Drain" || failed.Folder != "/w/shop" || failed.Times != 2 || failed.Failures != 2 || failed.Outcome != "failed" ||
		failed.Failure != "pool.go:9: error: pool 9 is not drained" || failed.ConversationID != "tuesday" || failed.TurnID != "T-1" || failed.Passed != nil {
		t.Errorf("what failed: %+v", failed)
	}
	before := how(args{"command": "go test -run Drain", "limit": 5, "conversationId": "tuesday"})
	if len(before.Runs) != 1 || before.Runs[0].Times != 1 || before.Runs[0].Date != "2026-10-05" {
		t.Fatalf("without the asking conversation: %+v", before)
	}
	if p := before.Runs[0].Passed; p == nil || p.Command != "go test ./pool -count=1" || p.TurnID != "T-2" || p.ConversationID != "monday" {
		t.Errorf("what passed afterwards: %+v", p)
	}
	if one := how(args{"command": "go test", "limit": 1}); len(one.Runs) != 1 || !one.MoreRuns {
		t.Errorf("at most one: %+v", one)
	}
	for _, none := range []string{"go test ./store", "make", "|"} {
		if got := how(args{"command": none}); len(got.Runs) > 0 || got.MoreRuns {
			t.Errorf("%s: %+v", none, got)
		}
	}
	refused(t, e, "contexture.act", args{}, "path", "")
	refused(t, e, "contexture.act", args{"path": "pool.go", "command": "go test"}, "path", "")
	refused(t, e, "contexture.act", args{"path": "pool.go", "output": "go test"}, "path", "")
	refused(t, e, "contexture.act", args{"command": strings.Repeat("x", 5000)}, "command", "")
}

// TestWhatPassedInstead checks that after a failure the command that passed in its place in another
// conversation is told, and that a lesson which has only a changed file is marked as doubtful.
func TestWhatPassedInstead(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"pool.go": source("openPool")})}})
	say(t, e, "monday",
		user("Which files does the request change?", "at", "2026-10-05T09:00:00Z"),
		ranIn("/w/shop", "cd x && hub diff 88 --stat", "Error: unknown flag: --stat of the subcommand diff", true),
		ranIn("/w/shop", "hub diff 88 --name-only | head -5", "pool.go", false))
	say(t, e, "tuesday",
		user("Test the pool, please.", "at", "2026-10-06T09:00:00Z"),
		ranIn("/w/shop", "go test ./pool", "pool_test.go:7: error: the pool is not drained in time", true),
		assistant("I close it last.", "at", "2026-10-06T09:01:00Z", "toolCalls", []args{{"name": "Edit", "arguments": args{"file_path": "/w/shop/pool.go", "old_string": "a", "new_string": "b"}, "result": "done"}}),
		ranIn("/w/shop", "go test ./pool -count=1", "ok", false))
	const unknown, undrained = "Exit code 1\nError: unknown flag: --stat of the subcommand diff", "Exit code 1\npool_test.go:9: error: the pool is not drained in time"
	after := func(more args) []command.ActStatement {
		t.Helper()
		return ask[command.ActResult](t, e, "contexture.act", more).Statements
	}
	for _, known := range []args{{"output": unknown, "command": "hub diff 91 --stat"}, {"output": unknown}} {
		got := after(known)
		if len(got) != 1 || got[0].Kind != "lesson" || got[0].Doubtful || got[0].Date != "2026-10-05" || got[0].TurnID != "T-1" || got[0].ConversationID != "monday" ||
			got[0].Text != "hub diff 88 --name-only passed after hub diff 88 --stat had failed so" || got[0].Passed != "hub diff 88 --name-only" {
			t.Errorf("%v: %+v", known, got)
		}
		known["conversationId"] = "monday"
		if own := after(known); len(own) > 0 {
			t.Errorf("%v, in the conversation that has it: %+v", known, own)
		}
	}
	for _, none := range []args{
		{"output": unknown, "command": "hub show 91 --stat"},
		{"output": "Error: unknown flag: --patch of the subcommand diff", "command": "hub diff 91 --patch"},
		{"output": undrained, "command": "go test ./pool"},
	} {
		if got := after(none); len(got) > 0 {
			t.Errorf("%v: %+v", none, got)
		}
	}
	ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{})
	if got := after(args{"output": undrained, "command": "go test ./pool"}); len(got) != 1 || !strings.HasSuffix(got[0].Text, " — /w/shop/pool.go") || !got[0].Doubtful {
		t.Errorf("a lesson with a changed file: %+v", got)
	}
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "monday"})
	if got := after(args{"output": unknown, "command": "hub diff 91 --stat"}); len(got) > 0 {
		t.Errorf("of a conversation that was deleted: %+v", got)
	}
}

// TestManyRunsOfACommand checks that of a command that many conversations ran, the newest messages
// are read, and that the answer says that there are more.
func TestManyRunsOfACommand(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"pool.go": source("openPool")})}})
	for talk := range 3 {
		var list []args
		for i := range 700 {
			list = append(list, ranIn("", fmt.Sprintf("make part%d", talk), "done", false))
			if i == 0 {
				list = append([]args{user("Go on.")}, list...)
			}
		}
		say(t, e, fmt.Sprintf("talk%d", talk), list...)
	}
	got := ask[command.ActResult](t, e, "contexture.act", args{"command": "make"})
	times := map[string]int{}
	for _, r := range got.Runs {
		times[r.Command] = r.Times
	}
	if !got.MoreRuns || times["make part2"] != 700 || times["make part1"] != 700 || times["make part0"] != 600 {
		t.Errorf("%v, more %v", times, got.MoreRuns)
	}
}

// TestStatementsAboutALine checks that what names the symbol at a line comes first, that what names
// only another symbol of the file is left out, and that lines without a symbol ask about the file.
func TestStatementsAboutALine(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		"pool.go":  "package shop\n\n// drainPool empties it.\nfunc drainPool() {\n}\n\nfunc fillPool() {\n}\n",
		"other.go": "package shop\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for _, text := range []string{"We decided that drainPool() is called once.", "fillPool() in pool.go never blocks.", "We decided that pool.go has no timers.", "Nothing of other.go is kept."} {
		ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "decision", "text": text})
	}
	at := func(path string, line int) string {
		t.Helper()
		a := args{"path": path, "limit": 9}
		if line >= 0 {
			a["position"] = args{"line": line, "character": 0}
		}
		var list []string
		for _, s := range ask[command.ActResult](t, e, "contexture.act", a).Statements {
			list = append(list, strings.Fields(strings.TrimPrefix(s.Text, "We decided that "))[0])
		}
		return strings.Join(list, " ")
	}
	if got := at("pool.go", 3); got != "drainPool() pool.go" {
		t.Errorf("about drainPool: %s", got)
	}
	if got := at("pool.go", 7); got != "fillPool() pool.go" {
		t.Errorf("about fillPool: %s", got)
	}
	for _, line := range []int{-1, 0, 5000} {
		if got := strings.Fields(at("pool.go", line)); len(got) != 2 || strings.Contains(strings.Join(got, " "), "drainPool") {
			t.Errorf("line %d asks about the whole file, and gets %s", line, got)
		}
	}
	if got := at("gone.go", 3); got != "" {
		t.Errorf("a file that is not there: %s", got)
	}
}

// TestWhatMovedSince checks that a statement tells the commits that changed its file since it was
// made, only where that is asked, and nothing for a file that stayed.
func TestWhatMovedSince(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"pool.go": source("openPool"), "idle.go": source("idle")})
	git := func(date string, a ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, a...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_DATE="+date)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", a, err, out)
		}
	}
	git("", "init", "-q")
	git("", "add", "-A")
	git("2001-10-01T10:00:00Z", "commit", "-qm", "begin")
	for i, subject := range []string{"open twice", "drain before close"} {
		servertest.WriteFile(t, filepath.Join(root, "pool.go"), source(fmt.Sprintf("openPool%d", i)))
		git(fmt.Sprintf("2096-10-0%dT10:00:00Z", 7+i), "commit", "-qam", subject)
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for _, text := range []string{"From now on pool.go opens one connection at a time.", "From now on idle.go keeps no timers."} {
		ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "rule", "text": text})
	}
	one := func(a args) command.ActStatement {
		t.Helper()
		got := ask[command.ActResult](t, e, "contexture.act", a)
		if len(got.Statements) != 1 || len(got.Degraded) > 0 {
			t.Fatalf("%v: %+v", a, got)
		}
		return got.Statements[0]
	}
	if m := one(args{"path": "pool.go", "moved": true}).Moved; m == nil || *m != (command.ActMoved{Commits: 2, Date: "2096-10-08", Subject: "drain before close"}) {
		t.Errorf("what changed since: %+v", m)
	}
	if m := one(args{"path": filepath.Join(root, "pool.go"), "moved": true}).Moved; m == nil || m.Commits != 2 {
		t.Errorf("by an absolute path: %+v", m)
	}
	if m := one(args{"path": "pool.go"}).Moved; m != nil {
		t.Errorf("not asked: %+v", m)
	}
	if m := one(args{"path": "idle.go", "moved": true}).Moved; m != nil {
		t.Errorf("a file that stayed: %+v", m)
	}
}
