package capture

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// TestPackedLogs checks that a compressed log is read, and that one that is compressed between two
// imports is not stored again.
func TestPackedLogs(t *testing.T) {
	pack := map[string]func(io.Writer) (io.WriteCloser, error){
		".zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		".gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	}
	for _, s := range samples {
		if sourceOf(s.source).lines == nil {
			continue
		}
		for end, open := range pack {
			var packed bytes.Buffer
			w, err := open(&packed)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(w, s.log)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			b.write(s.path+end, packed.String())
			b.bring(s.source)
			b.want(s.want)

			b = newBench(t)
			b.write(s.path, s.log)
			b.clock.forward(2 * callSettles)
			n := b.bring(s.source)
			if err := os.Rename(b.path(s.path), b.path(s.path+end)); err != nil {
				t.Fatal(err)
			}
			b.write(s.path+end, packed.String())
			if again := b.bring(s.source); again != 0 || n == 0 {
				t.Errorf("%s %s%s: %d messages, then %d", s.source, s.name, end, n, again)
			}
		}
	}
}

// TestBrokenPack checks that a compressed log that is damaged is named with the reason.
func TestBrokenPack(t *testing.T) {
	b := newBench(t)
	b.write(".codex/sessions/2026/10/01/rollout-x.jsonl.zst", "no frame")
	done, err := b.follower.Import(t.Context(), []string{Codex}, time.Time{})
	if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], "rollout-x.jsonl.zst: decompress: ") {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestCodexFork checks that the copies with which a forked session begins have the ids of what they
// copy, although their times are new, and that equal words of other sessions have ids of their own.
func TestCodexFork(t *testing.T) {
	said := func(at, role, text string) string {
		return `{"timestamp":"2026-10-01T` + at + `Z","type":"response_item","payload":{"type":"message","role":"` + role + `","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	meta := func(id, of string) string {
		return `{"type":"session_meta","payload":{"id":"` + id + `","cwd":"/w","forked_from_id":"` + of + `"}}` + "\n"
	}
	b := newBench(t)
	dir := ".codex/sessions/2026/10/01/"
	one, two := said("10:00:01", "user", "Hello"), said("10:00:02", "assistant", "Hi")
	b.write(dir+"rollout-1.jsonl", meta("c1", "")+one+two+said("10:00:03", "user", "Go on"))
	again := said("11:00:00", "user", "<environment_context>x</environment_context>") + said("11:00:00", "user", "Hello") + said("11:00:00", "assistant", "Hi")
	b.write(dir+"rollout-2.jsonl", meta("c2", "c1")+meta("c1", "")+again+said("11:00:09", "user", "Stop"))
	b.write(dir+"rollout-3.jsonl", meta("c3", "c2")+meta("c2", "c1")+meta("c1", "")+again+said("12:00:00", "user", "Stop"))
	b.write(dir+"rollout-4.jsonl", meta("c4", "")+one+two)
	b.bring(Codex)
	ids := func(session string) (out []string) {
		for _, m := range b.keeper.talks[ConversationID(Codex, session)] {
			out = append(out, m.ID)
		}
		return out
	}
	c1, c2, c3, c4 := ids("c1"), ids("c2"), ids("c3"), ids("c4")
	if len(c1) != 3 || len(c2) != 3 || !slices.Equal(c1[:2], c2[:2]) || c1[2] == c2[2] || !slices.Equal(c2, c3) || c4[0] == c1[0] || c4[1] == c1[1] {
		t.Errorf("ids %q, %q, %q, %q", c1, c2, c3, c4)
	}
	if got := b.keeper.forks[ConversationID(Codex, "c2")]; got != ConversationID(Codex, "c1") {
		t.Errorf("c2 continues %q", got)
	}
}

// TestGeminiHash finds the projects of folders that are named by a hash: in the host's list, among
// the folders in which people work, and in what the host told the model.
func TestGeminiHash(t *testing.T) {
	b := newBench(t, "/w/one")
	folder := func(dir string) string { return ".gemini/tmp/" + hashOfPath(dir) + "/chats/s.json" }
	chat := func(id, context string) string {
		return `{"sessionId":"` + id + `","messages":[{"id":"0","type":"user","content":"` + context + `"},{"id":"1","type":"user","content":"Hello"}]}`
	}
	b.write(".gemini/projects.json", `{"projects":{"/w/two":"two"}}`)
	b.write(folder("/w/one"), chat("g1", ""))
	b.write(folder("/w/two"), chat("g2", ""))
	b.write(folder("/w/three"), chat("g3", `<session_context>\nI'm currently working in the directory: /w/three\n</session_context>`))
	b.write(folder("/w/four"), chat("g4", `<session_context>\n  - /w/fourteen\n</session_context>`))
	b.write(".gemini/tmp/two/chats/s.json", chat("g5", ""))
	b.bring(Gemini)
	b.want("== gemini/g1 in /w/one\nuser: Hello\n== gemini/g2 in /w/two\nuser: Hello\n== gemini/g3 in /w/three\nuser: Hello\n== gemini/g5 in /w/two\nuser: Hello\n")
	if left := b.status(Gemini).Left; left[LeftUnplaced] != 1 {
		t.Errorf("not stored: %v", left)
	}
	b.roots = append(b.roots, "/w/four")
	if n := b.bring(Gemini); n != 1 || len(b.status(Gemini).Left) != 0 {
		t.Errorf("%d messages when the folder is known; not stored: %v", n, b.status(Gemini).Left)
	}
}

// TestUnread checks that import and status name what may hold conversations and is not read, and
// nothing else.
func TestUnread(t *testing.T) {
	for _, tt := range []struct {
		source string
		files  []string
		want   []string
	}{
		{Codex, []string{".codex/sessions/2026/10/01/rollout-1.jsonl.br", ".codex/sessions/2026/10/02/rollout-2.jsonl.br", ".codex/sessions/2026/10/02/.x", ".codex/sessions/v2/2026/10/02/3.cbor", ".codex/config.toml"}, []string{"*.cbor 1", "*.jsonl.br 2"}},
		{ClaudeCode, []string{".claude/projects/-w/1.jsonl", ".claude/projects/-w/1/subagents/2.meta.json", ".claude/projects/-w/v2/3.sqlite", ".claude/transcripts/ses_1.jsonl"}, []string{"*.jsonl 1", "*.sqlite 1"}},
		{Gemini, []string{".gemini/tmp/p/logs.json", ".gemini/tmp/p/checkpoint-a1.json", ".gemini/tmp/p/chats/a.db"}, []string{"*.json 1", "a.db 1"}},
		{OpenCode, []string{".local/share/opencode/storage/message/ses_1/msg_1.json", ".local/share/opencode/log/a.json"}, []string{"*.json 1"}},
		{Cursor, []string{".cursor/projects/p/agent-transcripts/1/1.jsonl2", ".cursor/projects/p/terminals/1.md", ".cursor/chats/a/b/store.db"}, []string{"*.jsonl2 1", "store.db 1"}},
		{Cline, []string{".cline/data/sessions/1/1.json", ".cline/data/sessions/1/1.messages.jsonl"}, []string{"*.messages.jsonl 1"}},
		{Continue, []string{".continue/sessions/sessions.json", ".continue/sessions/2026.sqlite"}, []string{"*.sqlite 1"}},
		{VSCode, []string{".config/Code/User/workspaceStorage/h/chatSessions/1.cbor", ".config/Code/User/workspaceStorage/h/state.vscdb", ".config/Code/User/workspaceStorage/h/java/chatSessions/jdt/1.cbor"}, []string{"*.cbor 1"}},
	} {
		b := newBench(t)
		for _, file := range tt.files {
			b.write(file, "x")
		}
		done, err := b.follower.Import(t.Context(), []string{tt.source}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range done[0].Unread {
			if got = append(got, fmt.Sprintf("%s %d", u.What, u.Count)); u.Bytes != int64(u.Count) || !slices.Contains(tt.files, filepath.ToSlash(strings.TrimPrefix(u.Example, b.home+string(filepath.Separator)))) {
				t.Errorf("%s: %+v", tt.source, u)
			}
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(done[0].Unread, b.status(tt.source).Unread) {
			t.Errorf("%s: not read are %q, want %q; status has %v", tt.source, got, tt.want, b.status(tt.source).Unread)
		}
	}
}

// TestOpenCode2 reads the tables of version 2 beside those of version 1, without storing twice what
// was migrated, and names a table of a version that is not known.
func TestOpenCode2(t *testing.T) {
	b := newBench(t)
	created := []string{
		"create table session_v2 (id text primary key, parent_id text, fork_session_id text, directory text, title text, time_updated integer)",
		"create table session_message (id text primary key, session_id text, type text, seq integer, data text)",
	}
	database(t, b.path(".local/share/opencode/opencode.db"), append(created,
		"create table session (id text primary key, parent_id text, directory text, title text, time_updated integer)",
		"create table message (id text primary key, session_id text, data text)",
		"create table part (id text primary key, message_id text, data text)",
		"create table session_v3 (id text, title text)", "insert into session_v3 values ('s9', 'New'), ('s10', 'Newer')",
		"create table todo (session_id text, content text)", "insert into todo values ('s1', 'x')",
		"insert into session values ('s1', null, '/w', 'Pool', 1767225600000), ('s0', null, '/w', 'Old', 1767225500000)",
		"insert into session_v2 values ('s1', null, null, '/w', 'Pool', 1767225600000), ('s2', 's1', null, '/w', 'Aside', 1767225601000)",
		`insert into message values ('m0', 's0', '{"role":"user"}'), ('m1', 's1', '{"role":"user","time":{"created":1767225600000}}'), ('m2', 's1', '{"role":"assistant","time":{"created":1767225600500,"completed":1}}')`,
		`insert into part values ('p0', 'm0', '{"type":"text","text":"Before."}'), ('p1', 'm1', '{"type":"text","text":"Why?"}'), ('p2', 'm2', '{"type":"text","text":"So."}')`,
		`insert into session_message values ('m1', 's1', 'user', 1, '{"text":"Why?","time":{"created":1767225600000}}'), ('n2', 's1', 'assistant', 2, '{"content":[{"type":"text","text":"So."}],"time":{"created":1767225600500,"completed":1}}')`,
		`insert into session_message values ('n3', 's1', 'user', 3, '{"text":"And now?","files":[{"name":"a.go"}],"time":{"created":1767225600700}}'), ('n4', 's1', 'synthetic', 4, '{"text":"Be nice."}')`,
		`insert into session_message values ('n5', 's1', 'assistant', 5, '{"model":{"id":"m"},"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"Now."},{"type":"tool","name":"bash","state":{"status":"completed","input":{"c":1},"content":[{"type":"text","text":"ok"}]}}],"time":{"created":1767225600800,"completed":1}}')`,
		`insert into session_message values ('n6', 's2', 'user', 1, '{"text":"Task."}'), ('n7', 's2', 'compaction', 2, '{"summary":"So far."}'), ('n8', 's2', 'hologram', 3, '{}')`,
	)...)
	database(t, b.path(".local/share/opencode/opencode-dev.db"), append(created,
		"insert into session_v2 values ('s3', null, null, '/w', 'Dev', 1767225602000)",
		`insert into session_message values ('d1', 's3', 'user', 1, '{"text":"In dev."}'), ('d2', 's3', 'shell', 2, '{"command":"ls"}')`,
	)...)
	b.clock.now = time.UnixMilli(1767225603000)
	b.bring(OpenCode)
	b.want("== opencode/s0 in /w: Old\nuser: Before.\n" +
		"== opencode/s1 in /w: Pool\nuser: Why?\nassistant: So.\nuser: And now?⏎⏎[a.go]\nassistant: Now. {hm} [bash {\"c\":1} → \"ok\"]\n" +
		"== opencode/s2 in /w: Aside\nsystem: Task.\nsystem: So far.\n== opencode/s3 in /w: Dev\nuser: In dev.\ntool: $ ls\n")
	st := b.status(OpenCode)
	if len(st.Unread) != 1 || st.Unread[0].What != "table session_v3" || st.Unread[0].Count != 2 || st.Unknown["message of type hologram"].Count != 1 {
		t.Errorf("not read %+v, unknown %+v", st.Unread, st.Unknown)
	}
	if n := b.bring(OpenCode); n != 0 || len(b.status(OpenCode).Unread) != 1 {
		t.Errorf("%d messages the second time; not read %+v", n, b.status(OpenCode).Unread)
	}
}

// TestCursorTranscripts reads the transcripts of Cursor's agent, and a chat that is in its database
// as well only from there.
func TestCursorTranscripts(t *testing.T) {
	root := filepath.Join(t.TempDir(), "my-shop")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	dir := ".cursor/projects/" + dashed(root) + "/agent-transcripts/"
	b.write(dir+"c1/c1.jsonl", `{"role":"user","message":{"content":[{"type":"text","text":"Why?"}]}}`+"\n")
	b.write(dir+"t1/t1.jsonl", `{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>now</timestamp><user_query>\nLook.\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Read","input":{"path":"a"}}]}}
{"type":"turn_ended","status":"success"}
{"role":"user","message":{"content":"<system_reminder>x</system_reminder>"}}
`)
	b.write(dir+"t1/subagents/t2.jsonl", `{"role":"user","message":{"content":"Find it."}}`+"\n")
	database(t, b.path(".config/Cursor/User/globalStorage/state.vscdb"), "create table cursorDiskKV (key text unique, value blob)",
		`insert into cursorDiskKV values ('composerData:c1', '{"composerId":"c1","name":"Fix","createdAt":1767225600000,"fullConversationHeadersOnly":[{"bubbleId":"b1"}]}'), ('bubbleId:c1:b1', '{"type":1,"text":"Why?"}')`)
	b.bring(Cursor)
	b.want("== cursor/c1: Fix\nuser: Why?\n== cursor/t1 in " + root + "\nuser: Look.\nassistant: I look. [Read {\"path\":\"a\"} → ]\n== cursor/t2 in " + root + "\nsystem: Find it.\n")
	b.restart()
	if n := b.bring(Cursor); n != 0 {
		t.Errorf("%d messages the second time", n)
	}
}

// TestUnknownDatabase checks that a database with an unknown schema, and a damaged one, are
// reported by name.
func TestUnknownDatabase(t *testing.T) {
	b := newBench(t)
	database(t, b.path(".local/share/opencode/opencode.db"), "create table talk (id text)")
	b.write(".config/Cursor/User/globalStorage/state.vscdb", "this is no database, but it is long enough to be taken for one: "+strings.Repeat("x", 200))
	for source, want := range map[string]string{OpenCode: "it has no table session: its form is not known", Cursor: "state.vscdb: "} {
		done, err := b.follower.Import(t.Context(), []string{source}, time.Time{})
		if err != nil || len(done[0].Errors) != 1 || !strings.Contains(done[0].Errors[0], want) {
			t.Errorf("%s: %+v, %v", source, done, err)
		}
		if st := b.status(source); len(st.Errors) != 1 || !strings.Contains(st.Errors[0], want) {
			t.Errorf("%s: %q", source, st.Errors)
		}
	}
}
