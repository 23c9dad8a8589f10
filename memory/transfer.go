package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/entity"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/memory/work"
)

// The first line of an export.
const (
	headType    = "contexture-memory"
	headVersion = 1
)

type head struct {
	Type    string `json:"type"`
	Version int    `json:"version"`
}

// Export writes the workspace's memory as JSON Lines: conversations in the order they were made, then what was learned,
// tasks, boards, filed texts and usage. What is derived from those is not written. Imported into an empty memory and
// exported again the lines are the same bytes.
func (v *View) Export(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	emit := func(record any) error { return enc.Encode(record) }
	r, ws := v.r, v.w.number
	for _, part := range []func() error{
		func() error { return emit(head{headType, headVersion}) },
		func() error {
			return conversation.Export(r, ws, func(rec conversation.Record) error { return emit(rec) })
		},
		func() error {
			return knowledge.Export(r, ws, func(it knowledge.Item) error { return emit(knowledgeLine{Type: knowledgeType, Item: it}) })
		},
		func() error {
			wishes, err := knowledge.Steerings(r, ws)
			for _, w := range wishes {
				err = errors.Join(err, emit(steeringLine{Type: steeringType, Steering: w}))
			}
			return err
		},
		func() error { return work.Export(r, ws, emit) },
		func() error { return board.Export(r, ws, emit) },
		func() error { return cabinet.Export(r, ws, emit) },
		func() error { return usage.Export(r, ws, emit) },
	} {
		if err := part(); err != nil {
			return fmt.Errorf("export memory: %w", err)
		}
	}
	return out.Flush()
}

// Imported counts what an import added.
type Imported struct {
	Conversations, Messages, Records int
	// Unlearned are the conversations that got messages, where nothing came along that was learned from them: an export of
	// a memory has its knowledge with it. See [Workspace.LearnFrom].
	Unlearned []string
}

// LineError says which line of an import is wrong; nothing was imported.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d: %v; nothing was imported", e.Line, e.Err)
}
func (e *LineError) Unwrap() error { return e.Err }

// Import adds what an export holds: all of it or, with an error, nothing. What is there already stays as it is. Errors:
// *LineError for a line that is none of an export's.
func (w *Workspace) Import(in io.Reader) (out Imported, err error) {
	err = w.change(func(r store.Reader, b *store.Batch) error {
		im := w.importer(r, b)
		if err := eachLine(in, im.line); err != nil {
			return err
		}
		out = im.count
		if !im.learned {
			out.Unlearned = im.told
		}
		return im.finish()
	})
	if err != nil {
		return Imported{}, err
	}
	w.memory.talks.clear()
	w.unmade.Store(true)
	w.memory.worker.poke(w)
	return out, nil
}

// eachLine calls f with each line's number and content; empty ones are passed over.
func eachLine(in io.Reader, f func(n int, line []byte) error) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if err := f(n, trimmed); err != nil {
				return &LineError{n, plainly(err)}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read import: %w", err)
		}
	}
}

// knowledgeType is that of an item of knowledge.
const knowledgeType = "knowledge"

type knowledgeLine struct {
	Type string `json:"type"`
	knowledge.Item
	// Fields of exports from before memory kept quotations; they are read over.
	Subject   json.RawMessage `json:"subject,omitempty"`
	Withdraws bool            `json:"withdraws,omitempty"`
	// WrittenFrom was of lessons that a model had worded.
	WrittenFrom string `json:"writtenFrom,omitempty"`
}

// steeringType is that of what a person wanted of a topic or an entity.
const steeringType = "steering"

type steeringLine struct {
	Type string `json:"type"`
	profile.Steering
}

// steeringImporter stages what a person wanted of topics and entities, all at the end.
type steeringImporter struct {
	r      store.Reader
	b      *store.Batch
	ws     store.Workspace
	wishes []profile.Steering
}

func (im *steeringImporter) Add(line []byte) error {
	var rec steeringLine
	if err := strictly(line, &rec); err != nil {
		return err
	}
	if !rec.IsValid() {
		return fmt.Errorf("act %q of %q is none, or lacks what it needs", rec.Act, rec.ID)
	}
	im.wishes = append(im.wishes, rec.Steering)
	return nil
}

func (im *steeringImporter) Finish() error {
	if len(im.wishes) == 0 {
		return nil
	}
	return knowledge.ImportSteerings(im.r, im.b, im.ws, im.wishes)
}

// knowledgeImporter stages items of knowledge, all at the end: they name each other.
type knowledgeImporter struct {
	r     store.Reader
	b     *store.Batch
	ws    store.Workspace
	items []knowledge.Item
}

func (im *knowledgeImporter) Add(line []byte) error {
	var rec knowledgeLine
	if err := strictly(line, &rec); err != nil {
		return err
	}
	switch rec.Kind {
	case knowledge.Lesson, knowledge.Reference, knowledge.Rule:
	default:
		return fmt.Errorf("kind %q is not lesson, reference or rule", rec.Kind)
	}
	if rec.ID == "" {
		return errors.New("id is required")
	}
	im.items = append(im.items, rec.Item)
	return nil
}

func (im *knowledgeImporter) Finish() error {
	if len(im.items) == 0 {
		return nil
	}
	return knowledge.Import(im.r, im.b, im.ws, im.items)
}

// strictly reads a line that may hold only what its type knows.
func strictly(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// lineImporter stages the lines of one package.
type lineImporter interface {
	Add(line []byte) error
	Finish() error
}

// importer is an import under way.
type importer struct {
	w       *Workspace
	b       *store.Batch
	talks   *conversation.Importer
	parts   map[string]lineImporter // by the type of line
	order   []lineImporter
	started bool
	learned bool // it holds knowledge
	count   Imported
	told    []string // conversations that got messages
}

func (w *Workspace) importer(r store.Reader, b *store.Batch) *importer {
	im := &importer{w: w, b: b, talks: conversation.NewImporter(r, b, w.number, w.memory.now()), parts: map[string]lineImporter{}}
	add := func(p lineImporter, types ...string) {
		im.order = append(im.order, p)
		for _, t := range types {
			im.parts[t] = p
		}
	}
	add(&knowledgeImporter{r: r, b: b, ws: w.number}, knowledgeType)
	add(&steeringImporter{r: r, b: b, ws: w.number}, steeringType)
	add(work.NewImporter(r, b, w.number), work.TaskType, work.AuditType)
	add(board.NewImporter(r, b, w.number), board.Type)
	add(cabinet.NewImporter(r, b, w.number), cabinet.Type)
	add(usage.NewImporter(r, b, w.number), usage.Type)
	return im
}

// line stages one line.
func (im *importer) line(_ int, line []byte) error {
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	switch h.Type {
	case headType:
		if h.Version != headVersion || im.started {
			return fmt.Errorf("version %d of an export, or one within another; this program reads version %d", h.Version, headVersion)
		}
		im.started = true
		return nil
	case conversation.TypeConversation, conversation.TypeMessages:
		return im.talk(line)
	}
	p, ok := im.parts[h.Type]
	if !ok {
		return fmt.Errorf("%q is no type of an export's lines", h.Type)
	}
	im.count.Records++
	im.learned = im.learned || h.Type == knowledgeType
	return p.Add(im.w.cleanLine(line))
}

// talk stages a conversation or messages of one, and what is derived from them.
func (im *importer) talk(line []byte) error {
	var rec conversation.Record
	if err := strictly(line, &rec); err != nil {
		return err
	}
	added, err := im.talks.Add(im.w.cleanTalk(rec))
	if err != nil {
		return err
	}
	if rec.Type == conversation.TypeConversation {
		im.count.Conversations++
	}
	im.count.Messages += len(added.Messages)
	if len(added.Messages) == 0 {
		return nil
	}
	if id := added.Info.ID; len(im.told) == 0 || im.told[len(im.told)-1] != id {
		im.told = append(im.told, id)
	}
	number := uint32(added.Info.Number)
	im.w.memory.recall.Add(im.b, im.w.number, number, added.First, added.Messages)
	for i, m := range added.Messages {
		at := entity.Place{Conversation: number, Turn: added.TurnOf[i], Message: added.First + i}
		entity.Add(im.b, im.w.number, at, m.At, entity.Mentions(m, im.w.relative))
	}
	return nil
}

func (im *importer) finish() error {
	for _, p := range im.order {
		if err := p.Finish(); err != nil {
			return fmt.Errorf("import memory: %w", err)
		}
	}
	return nil
}
