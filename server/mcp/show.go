package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
)

// fileIn returns the URI of a file, whose path may be relative to the root.
func fileIn(root, file string) (uri string, ok bool) {
	if strings.HasPrefix(file, "file://") {
		return file, true
	}
	if !filepath.IsAbs(file) {
		u, err := url.Parse(root)
		if err != nil || root == "" {
			return "", false
		}
		return u.JoinPath(strings.Split(filepath.ToSlash(file), "/")...).String(), true
	}
	return transport.FileURI(file), true
}

// pathOf returns a document's path as a model should name it: relative to the root, or absolute,
// never a file URI.
func pathOf(root, uri string) string {
	path, ok := transport.FilePath(uri)
	if !ok {
		return uri
	}
	if folder, ok := transport.FilePath(root); ok {
		const separator = string(filepath.Separator)
		for _, base := range rootPaths(folder) {
			if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(base, separator)+separator); ok {
				return filepath.ToSlash(rest)
			}
		}
	}
	return path
}

// rootPaths returns a folder and, if it is a link, its target, by which the server names files.
func rootPaths(folder string) []string {
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
		return []string{folder, real}
	}
	return []string{folder}
}

// lack describes what an answer lacks.
func lack(degraded []command.Degradation) (out []string) {
	for _, d := range degraded {
		var text string
		switch {
		case d.Stage == "index" && d.Reason == "indexing":
			text = "The index is still being made: ask again in a moment for all of it."
		case d.Stage == "index" && d.Reason == "error" && d.Detail != "":
			text = strings.ToUpper(d.Detail[:1]) + strings.TrimSuffix(d.Detail[1:], ".") + "."
		case d.Stage == "memory":
			text = "Memory could not be read: " + strings.TrimSuffix(d.Detail, ".") + "."
		case d.Reason == "timeout" || d.Reason == "overloaded":
			text = "There was no time to look everywhere: ask again."
		default:
			continue // the model server only affects the order, and only the person can fix it
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// closing joins the sentences of a closing line.
func closing(sentences ...string) string {
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	return strings.Join(sentences, " ")
}

// counter returns the counter of tokens for models.
func counter() (*tokens.Counter, error) { return tokens.For(tokens.O200k) }

// showContext formats a bundle without the prompt, which the caller already has.
func showContext(a reply) (string, error) {
	var b command.BundleResult
	if err := json.Unmarshal(a.raw, &b); err != nil {
		return "", err
	}
	count, err := counter()
	if err != nil {
		return "", err
	}
	var blocks []scoredPiece
	for _, e := range elements(b.Text) {
		if e.name == "ctx-prompt" {
			continue
		}
		var shown scoredPiece
		for _, it := range b.Items {
			if it.Span != nil && e.start <= it.Span.Start && it.Span.End <= e.end {
				shown.score = max(shown.score, it.Score)
				e.from(it)
			}
		}
		shown.text = e.block()
		blocks = append(blocks, shown)
	}
	b.Budget = contextBudget // without the prompt's share
	_ = json.Unmarshal(a.args["budget"], &b.Budget)
	over := 0
	for _, d := range b.Dropped {
		if d.Reason == "budget" {
			over++
		}
	}
	for {
		var text strings.Builder
		for _, shown := range blocks {
			text.WriteString(shown.text + "\n")
		}
		text.WriteString(bundleClosing(&b, len(blocks), over))
		if count.Count(text.String()) <= b.Budget || len(blocks) == 0 {
			return text.String(), nil
		}
		least := 0
		for i, shown := range blocks {
			if shown.score <= blocks[least].score {
				least = i
			}
		}
		blocks = slices.Delete(blocks, least, least+1)
		over++
	}
}

// scoredPiece is a piece of an answer with its relative score.
type scoredPiece struct {
	text  string
	score float64
}

func bundleClosing(b *command.BundleResult, shown, over int) string {
	var more []string
	if shown == 0 {
		more = append(more, "Nothing is shown, because nothing found is clearly about this request. Its subject may still occur: recall and search find it by words.")
	}
	if over > 0 {
		more = append(more, fmt.Sprintf("%s more did not fit into %d tokens: context with a larger budget.", several(over, "piece"), b.Budget))
	}
	var turns []string
	for _, it := range b.Items {
		if it.TurnID != "" && it.ConversationID != "" && it.Format != "full" {
			if call := fmt.Sprintf("%s of %q", it.TurnID, it.ConversationID); !slices.Contains(turns, call) {
				turns = append(turns, call)
			}
		}
	}
	if len(turns) > 0 {
		more = append(more, "In full by turn: "+strings.Join(turns[:min(len(turns), mostNamed)], "; ")+".")
	}
	more = append(more, "symbol NAME: callers and definition; search: other places; recall: earlier conversations.")
	return closing(append(lack(b.Degraded), more...)...)
}

// mostNamed is the maximum number of names in a closing line.
const mostNamed = 4

// showSearch formats hits.
func showSearch(a reply) (string, error) {
	var r command.SearchResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	if r.Matched != nil {
		return matchedLines(a.root, &r), nil
	}
	var blocks []string
	for _, h := range r.Hits {
		blocks = append(blocks, hitBlock(a.root, h))
	}
	more := lack(r.Degraded)
	if len(r.Hits) == 0 {
		more = append(more, "Nothing found. Other words may help, or fewer; symbol finds names.")
	} else {
		more = append(more, "Further places: search with a larger limit, or with paths. In full: recall with an id. Callers of a name: symbol.")
	}
	return strings.Join(append(blocks, closing(more...)), "\n"), nil
}

// matchedLines formats matching lines, those of a file below its path.
func matchedLines(root string, r *command.SearchResult) string {
	var blocks []string
	for hits := r.Hits; len(hits) > 0; {
		n := slices.IndexFunc(hits, func(h command.Hit) bool { return h.URI != hits[0].URI })
		if n < 0 {
			n = len(hits)
		}
		file := pathOf(root, hits[0].URI)
		var text strings.Builder
		for _, h := range hits[:n] {
			cut := ""
			if h.SnippetCharacter > 0 {
				cut = "…"
			}
			fmt.Fprintf(&text, "%d: %s%s\n", *h.SnippetLine+1, cut, h.Snippet)
		}
		blocks = append(blocks, file+"\n"+fenced(text.String(), languageOf(file)))
		hits = hits[n:]
	}
	m := r.Matched
	found := fmt.Sprintf("%s in %s match, of %d searched.", several(m.Lines, "line"), several(m.Files, "file"), m.Searched)
	if more := m.Lines - len(r.Hits); more > 0 {
		found += fmt.Sprintf(" %d are not shown: search with a larger limit, or with paths.", more)
	}
	if m.Unread > 0 {
		found += fmt.Sprintf(" %s could not be searched.", several(m.Unread, "file"))
	}
	missed := 0
	for _, s := range m.NotIndexed {
		missed += s.Count
	}
	if missed > 0 {
		found += fmt.Sprintf(" Not searched: %s that are binary, too large or excluded.", several(missed, "file"))
	}
	return strings.Join(append(blocks, closing(append(lack(r.Degraded), found)...)), "\n")
}

func hitBlock(root string, h command.Hit) string {
	if h.URI == "" {
		head := h.Title
		if h.ConversationID != "" && h.TurnID != "" {
			head = fmt.Sprintf("Turn %s of conversation %q: %s", h.TurnID, h.ConversationID, oneLine(h.Title))
		} else if h.ConversationID == "" {
			head = strings.ToUpper(h.Kind[:1]) + h.Kind[1:] + " (id " + h.ID + ")"
		}
		return head + "\n" + fenced(h.Snippet, "")
	}
	file := pathOf(root, h.URI)
	place := file
	if h.SnippetLine != nil {
		first := *h.SnippetLine + 1
		place = fmt.Sprintf("%s:%d-%d", file, first, first+strings.Count(strings.TrimRight(h.Snippet, "\n"), "\n"))
	}
	if title := clipped(oneLine(h.Title)); title != "" && title != file && h.Range != nil {
		place += fmt.Sprintf(" in %s (lines %d-%d, id %s)", title, h.Range.Start.Line+1, h.Range.End.Line+1, h.ID)
	}
	return place + "\n" + fenced(h.Snippet, languageOf(file))
}

// recallBudget is the contract's default.
const recallBudget = 2000

// from copies from an item what its element lacks.
func (e *element) from(it command.Item) {
	if it.ConversationID == "" || e.place() != "" {
		return
	}
	e.attrs["conversation"] = it.ConversationID
	if e.attrs["turns"] == "" && it.TurnID != "" {
		e.attrs["turn"] = it.TurnID
	}
}

// showRecall formats what memory has found.
func showRecall(a reply) (string, error) {
	var r command.RecallResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	var blocks, turns []string
	for _, e := range elements(r.Text) {
		i := slices.IndexFunc(r.Items, func(it command.Item) bool { return it.Span != nil && it.Span.Start == e.start })
		if i >= 0 {
			e.from(r.Items[i])
			if it := r.Items[i]; it.ConversationID != "" && it.TurnID != "" && e.place() == "" {
				turns = append(turns, fmt.Sprintf("%s of %q", it.TurnID, it.ConversationID))
			}
		}
		blocks = append(blocks, e.block())
	}
	more := lack(r.Degraded)
	if len(blocks) == 0 {
		nothing := cmp.Or(r.Text, "the item does not fit into the budget")
		more = append(more, strings.ToUpper(nothing[:1])+nothing[1:]+". Other words may help; search looks in the code.")
	}
	if len(turns) > 0 && a.text("id") == "" {
		slices.Sort(turns)
		turns = slices.Compact(turns)
		more = append(more, "Word for word: turn with "+strings.Join(turns[:min(len(turns), mostNamed)], "; ")+".")
	}
	budget := recallBudget
	_ = json.Unmarshal(a.args["budget"], &budget) // the server has checked it
	if len(blocks) > 0 && a.text("id") == "" && r.Tokens > budget*3/4 {
		more = append(more, "There may be more: recall with a larger budget.")
	}
	return strings.TrimRight(strings.Join(append(blocks, closing(more...)), "\n"), "\n"), nil
}

// showTurn formats one turn.
func showTurn(a reply) (string, error) {
	var r command.TurnResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	var blocks []string
	for _, e := range elements(r.Text) {
		blocks = append(blocks, e.block())
	}
	next := fmt.Sprintf("Of conversation %q; the turns before and after it have the next numbers.", a.text("conversationId"))
	if r.Level != "R" {
		next += " detail full has every word."
	}
	return strings.Join(append(blocks, next), "\n"), nil
}

// showRemembered returns what was stored.
func showRemembered(a reply) (string, error) {
	var r command.RememberResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	kind := r.Item.Label
	if kind == "" {
		kind = r.Item.Kind
	}
	text := fmt.Sprintf("Stored as a %s: %q\n", kind, r.Item.Content)
	for _, old := range r.Replaced {
		text += fmt.Sprintf("It replaces: %q\n", old.Content)
	}
	if kind == "rule" {
		return text + "It is in every context from now on.", nil
	}
	return text + "context and recall bring it where it concerns a request.", nil
}
