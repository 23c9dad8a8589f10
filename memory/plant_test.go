package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/memory/work"
)

// The planted texts: a word, and lines that are escaped in JSON.
var (
	plantedWord  = "zqkx" + "9281wv"
	plantedInner = "jvmq" + "5507ty"
	plantedLines = "<begin \"it\">\n" + plantedInner + "\n<end>"
)

// hide is a Redact that removes the planted texts, and numbers labelled as keys.
func hide(_, text string) string {
	text = strings.ReplaceAll(text, plantedWord, "[REDACTED:word]")
	text = strings.ReplaceAll(text, plantedLines, "[REDACTED:lines\n\n]")
	return keyed.ReplaceAllString(text, `$1[REDACTED:key]`)
}

var keyed = regexp.MustCompile(`(api_key"?[:=]\s*)"?[0-9]{4,}"?`)

// fill puts a planted text into every string of a value, also in lists, maps and JSON, except
// strings of a named type, whose values are known.
func fill(v reflect.Value, word string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), word)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), word)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, err := json.Marshal(map[string]any{"text " + word: []string{plantedLines, "of " + word}, "n": 1})
			if err != nil {
				panic(err)
			}
			v.SetBytes(raw)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), word)
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString("a " + word + " b")
		}
	}
}

func filled[T any]() (out T) {
	fill(reflect.ValueOf(&out).Elem(), plantedWord)
	return out
}

// id is an id that holds something to be hidden.
func id(n string) string { return n + "-" + plantedWord }

func plantedMessages() []dialogue.Message {
	m := filled[dialogue.Message]()
	m.Role, m.Content = dialogue.User, "From now on, always use "+plantedWord+" for tests.\n"+plantedLines
	second := filled[dialogue.Message]()
	second.Role, second.ID = dialogue.Assistant, ""
	second.Content = "In file `" + plantedWord + ".go` func " + plantedWord + "() fails: " + strings.Repeat("it is slow. ", 40)
	return []dialogue.Message{m, second}
}

// planting is the input of a planting method.
type planting struct {
	t      *testing.T
	w      *Workspace
	export string // lines to import
}

// plants are the methods that accept text, each called with planted texts in every possible
// argument, in order.
var plants = []struct {
	method string
	call   func(p planting) error
}{
	{"Workspace.Append", func(p planting) error {
		_, err := p.w.Append(Addition{Conversation: id("c"), Title: "title " + plantedWord, Messages: plantedMessages(), Learn: true})
		return err
	}},
	{"Workspace.Prepare", func(p planting) error {
		a, err := p.w.Prepare(Addition{Conversation: id("untitled"), Messages: plantedMessages()})
		if err != nil {
			return err
		}
		a.Place()
		a.Stage()
		_, err = a.Wait()
		return err
	}},
	{"Workspace.LearnFrom", func(p planting) error { return p.w.LearnFrom(p.t.Context(), []string{id("c"), id("nobody")}) }},
	{"Workspace.Fork", func(p planting) error { _, err := p.w.Fork(id("c"), 1, id("fork")); return err }},
	{"Workspace.PutKnowledge", func(p planting) error {
		for _, kind := range []knowledge.Kind{knowledge.Lesson, knowledge.Reference, knowledge.Rule} {
			it := filled[knowledge.Item]()
			it.Kind, it.ID, it.SourceTurns = kind, id(string(kind)), []string{id("c") + "/T-1", "odd " + plantedWord}
			if _, err := p.w.PutKnowledge(it); err != nil {
				return err
			}
		}
		return nil
	}},
	{"Workspace.PutScoped", func(p planting) error {
		it := filled[knowledge.Item]()
		it.ID, it.Kind = id("scoped"), knowledge.Lesson
		_, err := p.w.PutScoped(it)
		return err
	}},
	{"Workspace.ReceiveKnowledge", func(p planting) error {
		it := filled[knowledge.Item]()
		it.Kind, it.Label, it.Team.Fact = knowledge.Lesson, "", "f1"
		it.ID = knowledge.SharedID("f1")
		_, err := p.w.ReceiveKnowledge([]knowledge.Item{it}, func(*knowledge.Provenance) bool { return false })
		return err
	}},
	{"Knowledge.Item", func(p planting) error {
		v := p.w.View()
		defer v.Close()
		_, err := v.Knowledge.Item(id("lesson"))
		return err
	}},
	{"Workspace.Process", func(p planting) error {
		_, err := p.w.Process(p.t.Context(), Processing{Full: true, Documents: func(context.Context, string) ([]knowledge.Section, error) {
			return []knowledge.Section{filled[knowledge.Section]()}, nil
		}})
		return err
	}},
	{"Workspace.Steer", func(p planting) error {
		_, err := p.w.Append(Addition{Conversation: id("tickets"), Messages: []dialogue.Message{{Role: dialogue.User, Content: "the ticket of the week is PLANT-4711"}}})
		if err != nil {
			return err
		}
		v := p.w.View()
		all, err := v.Subjects.All()
		v.Close()
		if err != nil || len(all.Entities) == 0 {
			return fmt.Errorf("no entity to rename: %w", err)
		}
		err = p.w.Steer(subject.Steering{Act: subject.Rename, ID: all.Entities[0].ID, Label: "named " + plantedWord})
		return err
	}},
	{"Desk.CompleteTask", func(p planting) error { _, err := p.w.Desk().CompleteTask(filled[work.Completion]()); return err }},
	{"Desk.BlockTask", func(p planting) error {
		_, err := p.w.Desk().BlockTask(id("task"), "needs "+plantedLines+plantedWord, time.Time{})
		if err == nil {
			_, err = p.w.Desk().BlockTask(id("other"), "needs "+plantedWord, time.Time{})
		}
		return err
	}},
	{"Desk.UnblockTask", func(p planting) error { _, err := p.w.Desk().UnblockTask(id("task")); return err }},
	{"Desk.PutOnBoard", func(p planting) error {
		n := filled[board.New]()
		_, err := p.w.Desk().PutOnBoard(id("c"), n)
		return err
	}},
	{"Desk.Pin", func(p planting) error {
		return p.w.Desk().Pin(id("c"), "T-1-S"+plantedWord, "t "+plantedWord, "c "+plantedLines)
	}},
	{"Desk.PutText", func(p planting) error { _, err := p.w.Desk().PutText(filled[cabinet.New]()); return err }},
	{"Workspace.RenameFile", func(p planting) error { return p.w.RenameFile("a/"+plantedWord, "b/"+plantedWord) }},
	{"Workspace.RememberBundle", func(p planting) error {
		p.w.RememberBundle(id("bundle"), []usage.ShownItem{filled[usage.ShownItem](), {ID: "plain", Text: plantedLines}})
		return nil
	}},
	{"Workspace.Feedback", func(p planting) error {
		_, err := p.w.Feedback(id("bundle"), "it was "+plantedWord, []string{"no, " + plantedWord})
		return err
	}},
	{"Workspace.Import", func(p planting) error {
		_, err := p.w.Import(strings.NewReader(p.export))
		return err
	}},
}

// silent are the methods that accept no text: they read, or remove.
var silent = map[string]string{
	"Conversations.MessageCount": "counts what is stored", "Knowledge.Learned": "reads of the last run", "Subjects.All": "reads", "Subjects.Named": "reads", "View.Describe": "reads",
	"View.Lately": "counts what is stored", "Messages.Latest": "reads messages",
	"Memory.Close": "", "Memory.Joined": "waits", "Memory.ChatCame": "", "Workspace.AcceptKnowledge": "an id", "Memory.Workspace": "the root is where the workspace lies", "Memory.WriterStats": "",
	"Appending.Drop": "", "Appending.Place": "", "Appending.Stage": "", "Appending.Wait": "of what Prepare took in",
	"Workspace.Delete": "removes", "Workspace.DeleteKnowledge": "removes", "Desk.RemoveFromBoard": "removes",
	"Desk.RemoveText": "removes", "Desk.Text": "a key", "Workspace.View": "", "Workspace.Desk": "", "Workspace.Root": "reads",
	"Workspace.ForgetConversation": "removes", "Workspace.ForgetTurn": "removes", "Workspace.ForgetKnowledge": "removes",
	"Workspace.ForgetAll": "removes",
	"View.Until":          "", "View.Close": "", "View.Workspace": "", "View.Boosts": "reads", "Knowledge.List": "reads",
	"Knowledge.Rules": "reads", "Knowledge.Version": "", "Knowledge.Recommendations": "", "Knowledge.Digest": "reads", "Knowledge.QuotedFiles": "reads", "Messages.Search": "reads", "Messages.Holding": "reads",
	"Messages.Places": "reads", "View.Stats": "", "Arcs.Of": "reads", "View.Mentioning": "reads", "Messages.Failing": "reads",
	"Messages.Count": "reads", "Messages.TurnOf": "reads", "Messages.Opening": "reads", "Messages.Spoken": "reads", "View.Reminder": "reads", "View.Ledger": "reads",
	"View.Export": "reads", "Conversations.Find": "reads", "Conversations.List": "reads", "Turns.Text": "reads", "Turns.Sizes": "reads",
	"Conversations.Turn": "reads", "Turns.SizeOf": "reads", "Turns.History": "reads", "View.Window": "reads", "View.Tasks": "reads", "View.CurrentTasks": "reads",
	"View.Board": "reads", "View.Texts": "reads", "View.Episodes": "reads", "Subjects.Graph": "reads",
	"Conversations.Select": "reads", "View.Timeline": "reads", "Conversations.Origin": "reads", "Conversations.Forks": "reads",
	"Memory.Generation": "", "Workspace.Generation": "", "View.Note": "reads", "View.LayerFactors": "reads", "Workspace.ForgetTaught": "removes", "Workspace.NoteLater": "counts and hashes, by its promise",
	"Conversations.Has": "reads", "Conversations.TurnWith": "reads", "Workspace.Forgotten": "reads", "Memory.Roots": "reads", "Memory.Bulk": "", "Memory.Holding": "reads", "Conversations.Beginning": "reads",
	"Memory.Adopt": "the root is where a workspace lay",
}

// TestEveryMethodIsKnown fails for a method that is in neither list, also of a part of a view, and
// for a name in a list that is no method.
func TestEveryMethodIsKnown(t *testing.T) {
	known := map[string]bool{}
	for _, p := range plants {
		known[p.method] = true
	}
	for name := range silent {
		if known[name] {
			t.Errorf("%s is in both lists", name)
		}
		known[name] = true
	}
	types := []reflect.Type{
		reflect.TypeFor[*Memory](), reflect.TypeFor[*Workspace](), reflect.TypeFor[*View](), reflect.TypeFor[*Appending](), reflect.TypeFor[*Desk](),
	}
	parts := 0
	for f := range reflect.TypeFor[View]().Fields() {
		if f.IsExported() {
			parts++
			types = append(types, reflect.PointerTo(f.Type))
		}
	}
	if parts == 0 {
		t.Error("a view has no parts: their methods are not looked for")
	}
	met := map[string]bool{}
	for _, of := range types {
		for i := range of.NumMethod() {
			name := of.Elem().Name() + "." + of.Method(i).Name
			if met[name] = true; !known[name] {
				t.Errorf("%s: does it take text in? Plant something with it, or say that it is silent", name)
			}
		}
	}
	for name := range known {
		if !met[name] {
			t.Errorf("%s is in a list and is no method", name)
		}
	}
}

// everywhere plants in a workspace with every method, and with Import if there are lines to import.
func everywhere(t *testing.T, w *Workspace, export string) {
	t.Helper()
	for _, p := range plants {
		if export == "" && p.method == "Workspace.Import" {
			continue
		}
		if err := p.call(planting{t, w, export}); err != nil {
			t.Fatalf("%s: %v", p.method, err)
		}
	}
	w.memory.worker.quiet()
	w.memory.scribe.quiet()
}

// tellers answers as a model whose answers contain the planted texts.
func tellers() *scripted {
	return &scripted{name: "model", answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		answer, err := fields(ctx, prompt, schema)
		return strings.ReplaceAll(answer, "eighbour", "eighbour"+plantedWord), err
	}}
}

// TestNothingPlantedIsStored plants with every method and searches all files, while the memory is
// open and afterwards, and all of the store's content.
func TestNothingPlantedIsStored(t *testing.T) {
	unhidden := opened(t, t.TempDir())
	w := workspace(t, unhidden)
	everywhere(t, w, "")
	exportOfAll := exported(t, w)
	if err := unhidden.Close(); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{`"type":"conversation"`, `"type":"messages"`, `"type":"knowledge"`, `"type":"task"`, `"type":"audit"`,
		`"type":"board"`, `"type":"cabinet"`, `"type":"usage"`} {
		if !strings.Contains(exportOfAll, kind) {
			t.Errorf("the export has no %s", kind)
		}
	}
	dir := t.TempDir()
	m := openedWith(t, dir, func(o *Options) {
		o.Redact = hide
		model := tellers()
		o.Writer = func(string) Writer { return model }
	})
	w = workspace(t, m)
	everywhere(t, w, exportOfAll)
	for i := range 3 {
		tellAll(t, w, "garden", chatty(i)...)
	}
	settle(m)
	if stats := m.WriterStats(); stats.Asked == 0 {
		t.Error("no model was asked")
	}
	notThere(t, "while open", filesIn(t, dir))
	first := exported(t, w)
	notThere(t, "export", map[string]string{"export": first})
	if !strings.Contains(first, "[REDACTED:word]") || !strings.Contains(first, "[REDACTED:lines") {
		t.Error("the export does not say what was taken out")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	notThere(t, "after close", filesIn(t, dir))
	notThere(t, "in the store", held(t, dir))

	again := openedWith(t, t.TempDir(), func(o *Options) { o.Redact = hide })
	defer again.Close()
	w = workspace(t, again)
	if _, err := w.Import(strings.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	if second := exported(t, w); second != first {
		t.Errorf("exported, imported and exported again:\n%s\nwas\n%s", second, first)
	}
}

// TestPlantedIsFound checks that each of the searches finds text that is not removed.
func TestPlantedIsFound(t *testing.T) {
	dir := t.TempDir()
	m := opened(t, dir)
	everywhere(t, workspace(t, m), "")
	if len(holding(filesIn(t, dir))) == 0 {
		t.Error("not found in the files")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if len(holding(held(t, dir))) < 20 {
		t.Errorf("found in %v only", holding(held(t, dir)))
	}
}

// filesIn returns the contents of all files below a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) { // a file of an open store may disappear
		t.Fatal(err)
	}
	return out
}

// held returns all of a store's content, without checkpoints; its files are compressed.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	st, err := store.Open(dir, store.Options{Migrations: formats(nil, Options{Log: slog.New(slog.DiscardHandler)})})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	out := map[string]string{}
	if err := st.Scan(nil, nil, func(k, v []byte) (bool, error) {
		out[fmt.Sprintf("%q", k)] = string(k) + "\x00" + string(v)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// holding returns the names of the texts that contain planted texts, ignoring case.
func holding(texts map[string]string) (names []string) {
	for name, text := range texts {
		low := bytes.ToLower([]byte(text))
		for _, p := range []string{plantedWord, plantedInner} {
			if bytes.Contains(low, []byte(p)) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func notThere(t *testing.T, when string, texts map[string]string) {
	t.Helper()
	for _, name := range holding(texts) {
		t.Errorf("%s: %s holds what was planted: %q", when, name, texts[name][:min(len(texts[name]), 300)])
	}
}
