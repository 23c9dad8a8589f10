package remember

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/work"
)

// Work implements bundle.Past: blockers first, since they keep the next task from proceeding.
func (p *Past) Work() ([]item.Item, error) {
	completed, blockers, err := p.view.CurrentTasks()
	if err != nil {
		return nil, err
	}
	var out []item.Item
	for _, t := range blockers {
		out = append(out, TaskItem(t))
	}
	for _, t := range completed {
		out = append(out, TaskItem(t))
	}
	return out, nil
}

// TaskItem returns the item of a task or of its blocker.
func TaskItem(t work.Task) item.Item {
	m := item.Item{ID: "task:" + t.ID, Kind: item.Task, Title: t.ID, Format: "full", Score: 1, Reason: "completed recently", Body: firstOf(t.Summary, t.Intent, "completed")}
	m.Attrs = []item.Attr{{Name: "date", Value: t.At.UTC().Format("2006-01-02")}}
	switch {
	case t.State == work.Blocked:
		m.ID, m.Kind, m.Reason, m.Body = "blocker:"+t.ID, "blocker", "blocks a task", t.Reason
	case t.Success != nil && !*t.Success:
		m.Attrs = append(m.Attrs, item.Attr{Name: "outcome", Value: "failed"})
	case t.Success != nil:
		m.Attrs = append(m.Attrs, item.Attr{Name: "outcome", Value: "succeeded"})
	}
	m.Short = brief(m.Body, briefTask)
	return m
}

// briefTask and briefNote are the lengths in characters to which a task and an item of the board
// may be shortened.
const briefTask, briefNote = 160, 600

// brief returns the beginning of a text, cut at a space if there is one; "" when the text is not
// longer than that.
func brief(text string, most int) string {
	at, n := 0, 0
	for i := range text {
		if n == most {
			at = i
			break
		}
		n++
	}
	if at == 0 {
		return ""
	}
	cut := text[:at]
	if space := strings.LastIndexAny(cut, " \n\t"); space > at/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " \n\t") + " […]"
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// cabinetLines bounds the stored texts that the board lists.
const cabinetLines = 8

// Board implements bundle.Past: it returns the items on the conversation's board, and a list of the
// cabinet.
func (p *Past) Board() ([]item.Item, error) {
	items, err := p.OnBoard()
	if err != nil {
		return nil, err
	}
	var out []item.Item
	for _, it := range items {
		out = append(out, p.boardItem(it))
	}
	files, err := p.cabinet(cabinetLines)
	return append(out, files...), err
}

// cabinet returns the list of the most recently used stored texts, at most so many.
func (p *Past) cabinet(most int) ([]item.Item, error) {
	files, err := p.view.Texts()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	m := item.Item{
		ID: cabinetID, Kind: item.Notice, Title: "Stored texts, to be fetched with contexture.cabinet.get", Format: "full", Score: .5,
		Reason: "texts stored in the cabinet",
	}
	if len(files) > most {
		files, m.Format = files[:most], "summary"
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s: %s", f.Key, f.Title)
		if note := strings.Join(strings.Fields(f.Note), " "); note != "" {
			b.WriteString(" (" + firstOf(brief(note, briefTask), note) + ")")
		}
		b.WriteByte('\n')
	}
	m.Body = strings.TrimRight(b.String(), "\n")
	return []item.Item{m}, nil
}

// OnBoard returns the items on the conversation's board.
func (p *Past) OnBoard() ([]board.Item, error) {
	if p.info.ID == "" {
		return nil, nil
	}
	return p.view.Board(p.info)
}

func (p *Past) boardItem(it board.Item) item.Item {
	m := item.Item{
		ID: boardPrefix + p.info.ID + "/" + it.ID, Kind: item.Notice, Title: it.Title, Body: it.Content, Format: "full", Score: 1,
		Reason: "on the board", ConversationID: p.info.ID, Short: brief(it.Content, briefNote),
	}
	if it.Type == board.TurnType && it.Pinned != "" {
		m.Kind, m.Tag, m.Reason = "turn", it.Pinned, "requested recently"
	}
	if it.ExpiresAfterTurn > 0 {
		m.Reason += fmt.Sprintf(", until turn %d", it.ExpiresAfterTurn)
	}
	return m
}

// Workspace returns the memory of the past.
func (p *Past) Workspace() *memory.Workspace { return p.view.Workspace() }

// Boosts implements bundle.Past.
func (p *Past) Boosts(ids []string) (map[string]float64, error) { return p.view.Boosts(ids) }
