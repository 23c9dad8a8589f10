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
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
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

// Export writes the workspace's memory as JSON Lines: conversations in the order of their creation,
// then what was learned, tasks, boards, saved texts and usage. Derived data is not written.
// Imported into an empty memory and exported again the lines are the same bytes.
func (v *View) Export(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	emit := func(record any) error { return enc.Encode(record) }
	for _, part := range []func() error{
		func() error { return emit(head{headType, headVersion}) },
		func() error {
			return conversation.Export(v.state, func(rec conversation.Record) error { return emit(rec) })
		},
		func() error {
			return knowledge.Export(v.state, func(it knowledge.Item) error { return emit(knowledgeLine{Type: knowledgeType, Item: it}) })
		},
		func() error {
			wishes, err := knowledge.Steerings(v.state)
			for _, w := range wishes {
				err = errors.Join(err, emit(steeringLine{Type: steeringType, Steering: w}))
			}
			return err
		},
		func() error { return work.Export(v.state, emit) },
		func() error { return board.Export(v.state, emit) },
		func() error { return cabinet.Export(v.state, emit) },
		func() error { return usage.Export(v.state, emit) },
	} {
		if err := part(); err != nil {
			return fmt.Errorf("export memory: %w", err)
		}
	}
	return out.Flush()
}

// ImportCount counts what an import added.
type ImportCount struct {
	Conversations, Messages, Records int
	// Unlearned lists the conversations that got messages, when the import had no knowledge: an
	// export of a memory includes its knowledge. See [Workspace.LearnFrom].
	Unlearned []string
}

// LineError names the invalid line of an import; nothing was imported.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d: %v; nothing was imported", e.Line, e.Err)
}
func (e *LineError) Unwrap() error { return e.Err }

// Import adds the content of an export: all of it or, with an error, nothing. What exists already
// stays as it is. Errors: *LineError for an invalid line.
func (w *Workspace) Import(in io.Reader) (out ImportCount, err error) {
	err = w.change(func(tx store.Tx) error {
		im := newImporter(w, tx)
		if err := eachLine(in, im.line); err != nil {
			return err
		}
		out = im.count
		if !im.learned {
			out.Unlearned = im.told
		}
		if err := im.parts.Finish(); err != nil {
			return fmt.Errorf("import memory: %w", err)
		}
		return nil
	})
	if err != nil {
		return ImportCount{}, err
	}
	w.memory.cache.clear()
	w.unmade.Store(true)
	w.memory.worker.poke(w)
	return out, nil
}

// eachLine calls f with each line's number and content, except for empty lines.
func eachLine(in io.Reader, f func(n int, line []byte) error) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if err := f(n, trimmed); err != nil {
				return &LineError{n, lineMessage(err)}
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

// knowledgeType is the type of a line with an item of knowledge.
const knowledgeType = "knowledge"

type knowledgeLine struct {
	Type string `json:"type"`
	knowledge.Item
	// Fields of exports from before memory stored quotations; they are ignored.
	Subject   json.RawMessage `json:"subject,omitempty"`
	Withdraws bool            `json:"withdraws,omitempty"`
	// WrittenFrom belonged to lessons that a model had worded.
	WrittenFrom string `json:"writtenFrom,omitempty"`
}

// steeringType is the type of a line with a person's steering of a topic or an entity.
const steeringType = "steering"

type steeringLine struct {
	Type string `json:"type"`
	subject.Steering
}

// importSteerings registers the steering of topics and entities, staged together at the end.
func importSteerings(im *store.Importer, tx store.Tx) {
	var wishes []subject.Steering
	store.ImportLines(im, steeringType, func(rec steeringLine) error {
		if !rec.IsValid() {
			return fmt.Errorf("act %q of %q is unknown or incomplete", rec.Act, rec.ID)
		}
		wishes = append(wishes, rec.Steering)
		return nil
	})
	im.Finally(func() error {
		if len(wishes) == 0 {
			return nil
		}
		return knowledge.ImportSteerings(tx, wishes)
	})
}

// importKnowledge registers items of knowledge, staged together at the end because they refer to
// each other.
func importKnowledge(im *store.Importer, tx store.Tx) {
	var items []knowledge.Item
	store.ImportLines(im, knowledgeType, func(rec knowledgeLine) error {
		switch rec.Kind {
		case knowledge.Lesson, knowledge.Reference, knowledge.Rule:
		default:
			return fmt.Errorf("kind %q is not lesson, reference or rule", rec.Kind)
		}
		if rec.ID == "" {
			return errors.New("id is required")
		}
		items = append(items, rec.Item)
		return nil
	})
	im.Finally(func() error {
		if len(items) == 0 {
			return nil
		}
		return knowledge.Import(tx, items)
	})
}

// importer is an import in progress.
type importer struct {
	w       *Workspace
	tx      store.Tx
	talks   *conversation.Importer
	parts   store.Importer // of all lines except those of conversations
	started bool
	learned bool // the import has knowledge
	count   ImportCount
	told    []string // conversations that got messages
}

func newImporter(w *Workspace, tx store.Tx) *importer {
	im := &importer{w: w, tx: tx, talks: conversation.NewImporter(tx)}
	for _, part := range []func(*store.Importer, store.Tx){
		importKnowledge, importSteerings, work.Import, board.Import, cabinet.Import, usage.Import,
	} {
		part(&im.parts, tx)
	}
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
		return im.conversation(line)
	}
	if !im.parts.Takes(h.Type) {
		return fmt.Errorf("%q is not a type of lines in an export", h.Type)
	}
	im.count.Records++
	im.learned = im.learned || h.Type == knowledgeType
	return im.parts.Add(im.w.cleanLine(line))
}

// conversation stages a conversation or messages of one, and what is derived from them.
func (im *importer) conversation(line []byte) error {
	var rec conversation.Record
	if err := store.DecodeLine(line, &rec); err != nil {
		return err
	}
	added, err := im.talks.Add(im.w.cleanConversation(rec))
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
	b := im.w.memory.batch(im.tx)
	if err := prepareAll(im.w.memory.derivations, &intake{root: im.w.root, messages: added.Messages})(b, &added); err != nil {
		return err
	}
	return b.flush()
}
