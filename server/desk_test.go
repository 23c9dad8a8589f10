package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func TestTasks(t *testing.T) {
	state, root := t.TempDir(), servertest.Tree(t, nil)
	e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
	const complete, block, unblock, list = "contexture.task.complete", "contexture.task.block", "contexture.task.unblock", "contexture.task.list"
	refused(t, e, unblock, args{"taskId": "a"}, "", "notFound")
	if b := ask[command.TaskResult](t, e, block, args{"taskId": "a", "reason": "no key", "at": "2026-02-03T04:05:06+02:00"}).Task; b.State != "blocked" || b.Reason != "no key" || b.At.UTC().Format("15:04") != "02:05" {
		t.Errorf("%+v", b)
	}
	ask[command.TaskResult](t, e, block, args{"taskId": "b", "reason": "no disk"})
	if u := ask[command.TaskResult](t, e, unblock, args{"taskId": "b"}).Task; u.State != "unblocked" || u.TaskID != "b" {
		t.Errorf("%+v", u)
	}
	refused(t, e, unblock, args{"taskId": "b"}, "", "notFound")
	done := ask[command.TaskResult](t, e, complete, args{"taskId": "a", "intent": "get the key", "requiresContext": true, "validation": args{"success": false, "notes": "the lock is broken"}}).Task
	if done.State != "completed" || done.Success == nil || *done.Success || done.Summary == "" || done.Intent != "get the key" {
		t.Errorf("%+v", done)
	}
	l := ask[command.TaskListResult](t, e, list, args{})
	if len(l.Blockers) != 0 || len(l.Completed) != 1 || l.Completed[0].TaskID != "a" {
		t.Errorf("completing clears the blocker: %+v", l)
	}
	refused(t, e, unblock, args{"taskId": "a"}, "", "notFound")
	if plain := ask[command.TaskResult](t, e, complete, args{"taskId": "plain"}).Task; plain.Summary != "" || plain.Success != nil {
		t.Errorf("without context: %+v", plain)
	}
	for i := range 110 {
		ask[command.TaskResult](t, e, complete, args{"taskId": fmt.Sprintf("t%03d", i)})
	}
	l = ask[command.TaskListResult](t, e, list, args{})
	if len(l.Completed) != 100 || l.Completed[0].TaskID != "t109" || l.Completed[99].TaskID != "t010" {
		t.Errorf("%d tasks from %s to %s", len(l.Completed), l.Completed[0].TaskID, l.Completed[len(l.Completed)-1].TaskID)
	}
	if l := ask[command.TaskListResult](t, e, list, args{"limit": 3}); len(l.Completed) != 3 || l.Completed[2].TaskID != "t107" {
		t.Errorf("three: %+v", l)
	}
	for name, a := range map[string]args{
		"taskId": {"taskId": ""}, "validation.success": {"taskId": "x", "validation": args{}}, "at": {"taskId": "x", "at": 3}, "intent": {"taskId": "x", "intent": strings.Repeat("x", 65537)},
	} {
		refused(t, e, complete, a, name, "")
	}
	refused(t, e, block, args{"taskId": "x"}, "reason", "")
	refused(t, e, block, args{"taskId": "x", "reason": ""}, "reason", "")
	refused(t, e, list, args{"limit": 101}, "limit", "")
}

// TestWorkInBundle checks that long reasons do not crowd out another blocker or task.
func TestWorkInBundle(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	s := newSpeaker(8)
	for i := range 4 {
		ask[command.TaskResult](t, e, "contexture.task.block", args{"taskId": fmt.Sprint("blocked ", i), "reason": fmt.Sprintf("reason %d: %s", i, s.text(3000))})
	}
	for i := range 6 {
		ask[command.TaskResult](t, e, "contexture.task.complete", args{"taskId": fmt.Sprint("done ", i), "intent": s.text(2000), "requiresContext": i%2 == 0})
	}
	b := bundleOf(t, e, args{"prompt": "what is next on the list?", "conversationId": "new"})
	checkBundle(t, b, "what is next on the list?")
	var got []string
	for _, it := range b.Items {
		if it.Kind == "task" || it.Kind == "blocker" {
			got = append(got, it.ID)
		}
	}
	slices.Sort(got)
	if want := []string{"blocker:blocked 0", "blocker:blocked 1", "blocker:blocked 2", "blocker:blocked 3", "task:done 1", "task:done 2", "task:done 3", "task:done 4", "task:done 5"}; !slices.Equal(got, want) {
		t.Errorf("shown are %q; dropped %+v", got, b.Dropped)
	}
}

func TestCabinet(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const put, get, list, del = "contexture.cabinet.put", "contexture.cabinet.get", "contexture.cabinet.list", "contexture.cabinet.delete"
	if l := ask[command.CabinetListResult](t, e, list, args{}); len(l.Files) != 0 {
		t.Errorf("of nothing: %+v", l)
	}
	a := ask[command.CabinetPutResult](t, e, put, args{"title": "a", "content": "text of a", "note": "for later", "uri": "https://example.org/a"}).FileKey
	b := ask[command.CabinetPutResult](t, e, put, args{"title": "a", "content": ""}).FileKey
	if a == "" || a == b {
		t.Errorf("keys %q and %q", a, b)
	}
	f := ask[command.CabinetGetResult](t, e, get, args{"fileKey": a})
	if f.FileKey != a || f.Content != "text of a" || f.Note != "for later" || f.URI != "https://example.org/a" {
		t.Errorf("%+v", f)
	}
	if days := f.ExpiresAt.Sub(f.SavedAt.Time).Hours() / 24; days < 30 || days > 30.1 {
		t.Errorf("it expires after %f days", days)
	}
	if l := ask[command.CabinetListResult](t, e, list, args{}); len(l.Files) != 2 {
		t.Errorf("%+v", l)
	}
	ask[command.Deleted](t, e, del, args{"fileKey": a})
	for _, name := range []string{get, del} {
		refused(t, e, name, args{"fileKey": a}, "", "notFound")
		refused(t, e, name, args{"fileKey": "nonsense"}, "", "notFound")
	}
	refused(t, e, put, args{"title": "a", "content": strings.Repeat("x", 1<<20+1)}, "content", "")
	refused(t, e, put, args{"title": "a", "content": "x", "uri": "no uri"}, "uri", "")
}

func TestKnowledge(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const put, get, list, del = "contexture.knowledge.put", "contexture.knowledge.get", "contexture.knowledge.list", "contexture.knowledge.delete"
	lesson := args{"kind": "lesson", "title": "Locks", "content": "Hold no lock while the disk is waited for.", "topics": []string{"Locking"}, "keywords": []string{"mutex"}, "weight": 3}
	a := ask[command.KnowledgeItemResult](t, e, put, lesson).Item
	if a.ID == "" || a.Weight != 3 || a.Kind != "lesson" || a.CreatedAt.IsZero() {
		t.Errorf("%+v", a)
	}
	lesson["id"], lesson["content"] = a.ID, "Hold no lock, ever."
	if again := ask[command.KnowledgeItemResult](t, e, put, lesson).Item; again.ID != a.ID || !again.CreatedAt.Equal(a.CreatedAt.Time) || again.Content != "Hold no lock, ever." {
		t.Errorf("%+v", again)
	}
	ask[command.KnowledgeItemResult](t, e, put, args{"kind": "reference", "id": "ref", "title": "Map", "content": "Here and there.", "topics": []string{}, "keywords": []string{}})
	if l := ask[command.KnowledgeListResult](t, e, list, args{}).Items; len(l) != 2 || l[0].ID != a.ID {
		t.Errorf("heaviest first: %+v", l)
	}
	if l := ask[command.KnowledgeListResult](t, e, list, args{"topic": "locking"}).Items; len(l) != 1 {
		t.Errorf("by topic: %+v", l)
	}
	if l := ask[command.KnowledgeListResult](t, e, list, args{"kind": "reference"}).Items; len(l) != 1 || l[0].ID != "ref" {
		t.Errorf("by kind: %+v", l)
	}
	ask[command.Deleted](t, e, del, args{"id": "ref"})
	refused(t, e, get, args{"id": "ref"}, "", "notFound")
	refused(t, e, del, args{"id": "ref"}, "", "notFound")
	for field, change := range map[string]any{"kind": "song", "title": "", "content": "", "weight": 101, "id": "a\nb", "topics": "x"} {
		bad := args{"kind": "lesson", "title": "t", "content": "c", "topics": []string{}, "keywords": []string{}}
		bad[field] = change
		refused(t, e, put, bad, field, "")
	}

	say(t, e, "c", user("From now on, always use tabs for indentation."), assistant("Yes."))
	say(t, e, "c", user("From now on, always use two spaces for indentation instead of tabs."), assistant("Yes."))
	rules := ask[command.KnowledgeListResult](t, e, list, args{"kind": "rule"}).Items
	if len(rules) != 1 || !strings.Contains(rules[0].Content, "two spaces") || !slices.Contains(rules[0].SourceTurns, "c/T-2") {
		t.Errorf("the rule that holds: %+v", rules)
	}
	all := ask[command.KnowledgeListResult](t, e, list, args{"kind": "rule", "superseded": true}).Items
	if len(all) != 2 {
		t.Fatalf("with the superseded: %+v", all)
	}
	for _, it := range all {
		if strings.Contains(it.Content, "two spaces") == (it.SupersededBy != "") {
			t.Errorf("%+v", it)
		}
	}
	if b := bundleOf(t, e, args{"prompt": "please write the loop", "conversationId": "c2"}); !strings.Contains(b.Text, "two spaces") || strings.Count(b.Text, "ndentation") != 1 {
		t.Errorf("the bundle: %s", b.Text)
	}
	before := bundleOf(t, e, args{"prompt": "x y z"}).Versions.Knowledge
	ask[command.Deleted](t, e, del, args{"id": rules[0].ID})
	b := bundleOf(t, e, args{"prompt": "x y z"})
	if b.Versions.Knowledge <= before {
		t.Errorf("version %d after %d", b.Versions.Knowledge, before)
	}
	if strings.Contains(b.Text, "two spaces") {
		t.Errorf("a rule that was deleted is shown: %s", b.Text)
	}
}

// TestRemember checks that a person's own words are stored as confirmed and returned when relevant.
func TestRemember(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const remember = "contexture.remember"
	said := map[string]string{
		"rule":     "Always use tabs for indentation.",
		"decision": "We store invoices in Postgres, because of its JSON columns.\nSQLite was too small.",
		"lesson":   "The invoice importer deadlocks when two workers share a cursor.",
		"note":     "The invoice archive of 2019 lies on the old file server.",
	}
	ids := map[string]string{}
	for kind, text := range said {
		it := ask[command.RememberResult](t, e, remember, args{"kind": kind, "text": " " + text + "\n"}).Item
		want, label := kind, ""
		if kind == "decision" || kind == "note" {
			want, label = "reference", kind
		}
		if it.Kind != want || it.Label != label || it.State != "confirmed" || it.Content != text || !strings.HasPrefix(it.ID, kind+"-") {
			t.Errorf("%s is stored as %+v", kind, it)
		}
		ids[kind] = it.ID
		if again := ask[command.RememberResult](t, e, remember, args{"kind": kind, "text": text}).Item; again.ID != it.ID {
			t.Errorf("%s again is %s beside %s", kind, again.ID, it.ID)
		}
	}
	if l := ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{}).Items; len(l) != len(said) {
		t.Errorf("listed: %+v", l)
	}
	text := bundleOf(t, e, args{"prompt": "how does the invoice importer store invoices from the archive?"}).Text
	for kind, words := range said {
		if !strings.Contains(text, words) {
			t.Errorf("the %s is not in the bundle: %s", kind, text)
		}
	}
	for _, word := range []string{"We store invoices", "use tabs"} {
		if strings.Count(text, word) != 1 {
			t.Errorf("%q stands there %d times: %s", word, strings.Count(text, word), text)
		}
	}
	for memoryType, kinds := range map[string][]string{"decision": {"decision"}, "reference": {"decision", "note"}, "lesson": {"lesson"}} {
		r := ask[command.RecallResult](t, e, "contexture.recall", args{"query": "what about invoices and the archive?", "memoryType": memoryType})
		for kind, words := range said {
			if strings.Contains(r.Text, words) != slices.Contains(kinds, kind) {
				t.Errorf("recall of %s, the %s: %s", memoryType, kind, r.Text)
			}
		}
	}
	// An item that is put again with its id keeps its label.
	put := args{"kind": "reference", "id": ids["decision"], "title": "Invoices", "content": "We store invoices in Postgres 18.", "topics": []string{}, "keywords": []string{}}
	if it := ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", put).Item; it.Label != "decision" {
		t.Errorf("an edited decision is %+v", it)
	}
	r := ask[command.RememberResult](t, e, remember, args{"kind": "rule", "text": "From now on, always use two spaces for indentation instead of tabs."})
	if len(r.Replaced) != 1 || r.Replaced[0].ID != ids["rule"] || r.Replaced[0].State != "superseded" {
		t.Errorf("the rule replaced %+v", r.Replaced)
	}
	refused(t, e, remember, args{"kind": "song", "text": "la"}, "kind", "")
	refused(t, e, remember, args{"kind": "rule"}, "text", "")
	refused(t, e, remember, args{"kind": "note", "text": " \n"}, "text", "")
	refused(t, e, remember, args{"kind": "rule", "text": strings.Repeat("é", 2001)}, "text", "")
	ask[command.RememberResult](t, e, remember, args{"kind": "note", "text": strings.Repeat("é", 2001)})
}

// TestKnowledgeVersion checks that every answer with versions names the version of the knowledge
// that it was made from.
func TestKnowledgeVersion(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("alphaVersion")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	searches := map[string]args{
		"all":       {"query": "alphaVersion"},
		"places":    {"query": "alphaVersion", "kinds": []string{"code"}},
		"by path":   {"query": "alphaVersion", "paths": []string{"*.go"}},
		"symbols":   {"query": "alphaVersion", "mode": "symbol"},
		"semantic":  {"query": "alphaVersion", "mode": "semantic"},
		"lessons":   {"query": "alphaVersion", "kinds": []string{"lesson"}},
		"no result": {"query": "qqqq", "kinds": []string{"task"}},
	}
	last := uint64(0)
	for i := range 3 {
		ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{"kind": "lesson", "title": fmt.Sprint("lesson ", i), "content": "Name things.", "topics": []string{}, "keywords": []string{}})
		want := bundleOf(t, e, args{"prompt": "what is alphaVersion?"}).Versions
		if want.Knowledge <= last || want.Index == 0 {
			t.Errorf("versions %+v after knowledge %d", want, last)
		}
		last = want.Knowledge
		for name, a := range searches {
			if got := ask[command.SearchResult](t, e, "contexture.search", a).Versions; got.Knowledge != want.Knowledge || got.Index < want.Index { // the folder's watch may have begun
				t.Errorf("search %s: versions %+v, the bundle's %+v", name, got, want)
			}
		}
	}
}
