package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMCPShowsMessages checks that the language server's messages to the person appear on standard
// error, once and without control sequences, because an assistant's host keeps them in its log.
func TestMCPShowsMessages(t *testing.T) {
	root := servertest.Tree(t, map[string]string{".contexture.toml": "secrets.allow = ['.*']\n\"\\u001b[31m\" = 1\n"})
	cmd := exec.Command("contexture", "mcp", "--daemon=off", "--offline", "--root", root, "--state-dir", t.TempDir())
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(servertest.Patience, func() { _ = cmd.Process.Kill() }).Stop()
	var got []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if got = append(got, lines.Text()); len(got) == 2 {
			_ = in.Close() // now it may exit
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if len(got) != 2 || !strings.Contains(got[0], `: \u001b[31m is not a setting`) ||
		!strings.HasPrefix(got[1], "contexture: "+filepath.Join(root, ".contexture.toml")+":1: secrets.allow may not be set by a repository's file") {
		t.Errorf("on standard error: %q", got)
	}
}

// TestMCPRoots checks that a call may name a project on this machine, and that its error says what
// is wrong with any other folder. A server started for one folder opens no other.
func TestMCPRoots(t *testing.T) {
	top := servertest.Tree(t, map[string]string{
		"one/.git/HEAD": "ref: x\n", "one/one.go": "package one\n\nfunc OnlyInOne() {}\n", "one/sub/x.go": "package sub\n",
		"two/.contexture.toml": "", "two/two.go": "package two\n\nfunc OnlyInTwo() {}\n", "none/none.go": "package none\n",
	})
	one, two, none := filepath.Join(top, "one"), filepath.Join(top, "two"), filepath.Join(top, "none")
	for _, tt := range []struct {
		bound bool
		calls [][3]string // root, name, want
	}{
		{false, [][3]string{
			{"", "OnlyInOne", "one.go:3-3 function OnlyInOne"},
			{two, "OnlyInTwo", "two.go:3-3 function OnlyInTwo"},
			{servertest.URI(two), "OnlyInOne", "Nothing in the project defines OnlyInOne"},
			{filepath.Join(one, "sub"), "OnlyInOne", "one.go:3-3 function OnlyInOne"},
			{"", "OnlyInTwo", "Nothing in the project defines OnlyInTwo"},
			{"one", "x", `root: "one" is not the absolute path of a folder`},
			{filepath.Join(one, "gone"), "x", "root: there is no folder " + filepath.Join(one, "gone")},
			{none, "x", "root: " + none + " lies in no project"},
		}},
		{true, [][3]string{
			{filepath.Join(one, "sub"), "OnlyInOne", "one.go:3-3 function OnlyInOne"},
			{two, "x", "root: " + two + " lies outside of " + one},
		}},
	} {
		args := []string{"mcp", "--daemon=off", "--offline", "--state-dir", t.TempDir()}
		if tt.bound {
			args = append(args, "--root", one)
		}
		cmd := exec.Command("contexture", args...)
		cmd.Dir, cmd.Env = one, append(os.Environ(), "HOME="+t.TempDir())
		ask := assistantOf(t, cmd)
		for _, call := range tt.calls {
			given := map[string]string{"name": call[1]}
			if call[0] != "" {
				given["root"] = call[0]
			}
			if text := ask("symbol", given); !strings.HasPrefix(text, call[2]) {
				t.Errorf("bound %v, root %q: %s, want %s", tt.bound, call[0], text, call[2])
			}
		}
	}
}

// TestMCPReceipts checks that what a tool answered is recorded, and what was refused or stored is
// not.
func TestMCPReceipts(t *testing.T) {
	state := t.TempDir()
	root := servertest.Tree(t, map[string]string{"one.go": "package one\n\nfunc Only() {}\n"})
	cmd := exec.Command("contexture", "mcp", "--daemon=off", "--offline", "--state-dir", state, "--root", root)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	ask := assistantOf(t, cmd)
	answer := ask("symbol", map[string]string{"name": "Only"})
	if text := ask("search", map[string]string{}); !strings.Contains(text, "query") {
		t.Errorf("a search for nothing: %s", text)
	}
	ask("remember", map[string]string{"text": "Always seal the hull.", "kind": "rule"})
	list, err := hosts.ReadGiven(state, time.Now(), func(of, id string) bool { return of == root && strings.HasPrefix(id, hosts.AskedBy) })
	if err != nil || len(list) != 1 || len(list[0].Given) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if g := list[0].Given[0]; g.Moment != receipt.Asked || g.Bytes != len(answer) || !slices.Equal(g.Names, []string{"one.go"}) {
		t.Errorf("%+v of %s", g, answer)
	}
}

// assistantOf starts a server of the Model Context Protocol and returns a function that calls one
// of its tools and returns the text.
func assistantOf(t *testing.T, cmd *exec.Cmd) (ask func(tool string, args any) string) {
	t.Helper()
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
	timer := time.AfterFunc(servertest.Patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		_ = in.Close() // now it exits
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		timer.Stop()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	id := 0
	request := func(method string, params any) (result struct{ Content []struct{ Text string } }) {
		id++
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(body, '\n')); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			var answer struct {
				ID     int
				Result json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
				t.Fatalf("%s: %v", lines.Bytes(), err)
			}
			if answer.ID == id {
				if err := json.Unmarshal(answer.Result, &result); err != nil {
					t.Fatalf("%s: %v", lines.Bytes(), err)
				}
				return result
			}
		}
		t.Fatalf("no answer to %s: %v", method, lines.Err())
		return result
	}
	request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "t", "version": "1"}})
	return func(tool string, args any) string {
		t.Helper()
		r := request("tools/call", map[string]any{"name": tool, "arguments": args})
		if len(r.Content) != 1 {
			t.Fatalf("%s answers %+v", tool, r)
		}
		return r.Content[0].Text
	}
}
