package server

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

const (
	// recallPatience bounds how long a recall waits for the index; it has no deadline of its own.
	recallPatience = time.Second
	// codeShare is the share of a recall's budget for the workspace's own text when everything is
	// requested.
	codeShare = .4
)

// Recall implements command.Commands.
func (c lookupCommands) Recall(ctx context.Context, args *command.RecallArgs) (*command.RecallResult, error) {
	if args.Query == "" && args.Expand == "" {
		return nil, command.InvalidParams("query", "is required unless expand is given")
	}
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	counter, err := counterOf(c.settingsOf(r).Budget.Encoding)
	if err != nil {
		return nil, err
	}
	if err := c.enterPatiently(ctx, r, recallPatience); err != nil {
		return nil, err
	}
	args.Query = c.Query(r, args.Query)
	k := &recallRequest{lookupCommands: c, args: args, root: r, count: counter.Count, truncate: counter.Truncate}
	if err := k.open(ctx); err != nil {
		return nil, err
	}
	defer k.close()
	if args.Expand != "" {
		return k.expand(ctx)
	}
	named, err := k.addressed()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	if args.Query != "" || named == "" {
		out, err := k.answer(ctx)
		if err != nil || named == "" || len(out.Items) > 0 {
			return out, err
		}
	}
	args.Expand = named
	return k.expand(ctx)
}

// recallRequest is one recall in progress.
type recallRequest struct {
	lookupCommands
	args  *command.RecallArgs
	root  *session.RootView
	count func(string) int
	// truncate returns the start of a text that has at most max tokens.
	truncate func(text string, max int) (prefix string, n int)
	view     *memory.View // nil when memory cannot be read
	found    *remember.Found
	out      command.RecallResult
}

// bundles are the commands that describe an item as a bundle has it.
func (k *recallRequest) bundles() bundleCommands { return bundleCommands{k.call} }

// open opens the view. Without memory the answer comes from the code alone, with the reason in
// degraded.
func (k *recallRequest) open(ctx context.Context) error {
	w, err := k.memoryOf(ctx, k.root)
	if err != nil {
		if k.args.ConversationID != "" || !k.wantsCode() {
			return err
		}
		k.out.Degraded = append(k.out.Degraded, command.Degradation{Stage: "memory", Reason: "error", Detail: err.Error()})
		return nil
	}
	k.view = w.View()
	k.found = &remember.Found{View: k.view, Counter: k.count, Words: engine.Terms}
	if id := k.args.ConversationID; id != "" {
		info, err := k.view.Conversations.Find(id)
		if err != nil {
			k.close()
			return named(err, "conversation %q", id)
		}
		k.found.Scope = &info
	}
	return nil
}

func (k *recallRequest) close() {
	if k.view != nil {
		k.view.Close()
	}
}

// answer searches memory, code or both.
func (k *recallRequest) answer(ctx context.Context) (*command.RecallResult, error) {
	signals := intent.Classify(k.args.Query, intent.Context{})
	req := recall.Request{Query: k.args.Query, Budget: k.args.Budget, MemoryType: k.args.MemoryType, Recency: signals.Recency}
	if req.MemoryType == "memory" {
		req.MemoryType = "any" // everything in memory
	}
	code, err := k.code(ctx)
	if err != nil {
		return nil, err
	}
	req.Budget -= code.Tokens
	if k.view != nil && k.args.MemoryType != "code" {
		res, err := recall.Build(ctx, req, k.found)
		if err != nil {
			return nil, engine.MemoryError(err)
		}
		for _, it := range res.Items {
			k.out.Items = append(k.out.Items, k.bundles().item(it, nil))
		}
		k.out.Text, k.out.Tokens = res.Text, res.Tokens
	}
	from := len(k.out.Text)
	for _, it := range code.Items {
		it.Span.Start, it.Span.End = it.Span.Start+from, it.Span.End+from
		k.out.Items = append(k.out.Items, it)
	}
	k.out.Text, k.out.Tokens = k.out.Text+code.Text, k.out.Tokens+code.Tokens
	if len(k.out.Items) == 0 {
		if k.out.Text, err = k.nothing(ctx); err != nil {
			return nil, engine.MemoryError(err)
		}
		k.out.Tokens = k.count(k.out.Text)
	}
	return &k.out, nil
}

// nothing returns the line that says what nothing was found about.
func (k *recallRequest) nothing(ctx context.Context) (string, error) {
	kind := k.args.MemoryType
	if k.view == nil || kind == "code" {
		return "nothing is found", nil
	}
	subject, err := recall.Subject(ctx, k.args.Query, k.found)
	if kind == "any" || kind == "memory" {
		return "nothing is remembered about " + strconv.Quote(subject), err
	}
	return "nothing of type " + kind + " is remembered about " + strconv.Quote(subject), err
}

// wantsCode reports whether the workspace's own text is requested: by its name, or when everything
// is and no conversation is named.
func (k *recallRequest) wantsCode() bool {
	return k.args.MemoryType == "code" || k.args.MemoryType == "any" && k.args.ConversationID == ""
}

// index opens the workspace's index; its release must be called.
func (k *recallRequest) index(ctx context.Context) (*session.Source, error) {
	return k.OpenForMemory(ctx, k.root)
}

// code returns what the workspace's own text has on the query, as a bundle would show it.
func (k *recallRequest) code(ctx context.Context) (out command.RecallResult, err error) {
	if !k.wantsCode() {
		return out, nil
	}
	src, err := k.index(ctx)
	if err != nil {
		return out, err
	}
	defer src.Release()
	k.out.Degraded = append(k.out.Degraded, src.Lacks()...)
	if src.Snapshot == nil {
		return out, nil
	}
	work, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	budget := k.args.Budget
	if k.args.MemoryType != "code" {
		budget = int(codeShare * float64(budget))
	}
	frame := k.count(render.Block(item.Item{Kind: item.Prompt})) // of the prompt, which is searched for and not shown
	b, err := bundle.Build(work, bundle.Request{
		Query: k.args.Query, Budget: budget + frame, Deadline: k.left(work), Builtin: src.Models == nil,
	}, bundle.Sources{Snapshot: src.Snapshot, Count: k.count, Now: k.server.Now})
	if err := errors.Join(ctx.Err(), bundleError(err)); err != nil {
		return out, err
	}
	k.out.Degraded = append(k.out.Degraded, degradations(b.Degraded)...)
	for _, it := range b.Items {
		if it.Kind != item.Code && it.Kind != item.Doc {
			continue
		}
		from := len(out.Text)
		out.Text += b.Text[it.Span.Start:it.Span.End]
		out.Tokens += it.Tokens
		it.Span = item.Span{Start: from, End: len(out.Text)}
		out.Items = append(out.Items, k.bundles().item(it, src))
	}
	return out, nil
}

// expand answers with one item in full, or in the longest form that fits in the budget. An id that
// was never in an answer is notFound.
func (k *recallRequest) expand(ctx context.Context) (*command.RecallResult, error) {
	id := k.args.Expand
	switch kind, rest, _ := strings.Cut(id, ":"); {
	case strings.HasPrefix(id, "c-"):
		return k.expandCode(ctx, id)
	case kind == "identity" || kind == "preference":
		return k.expandPersonal(kind, rest)
	}
	if k.view == nil {
		return nil, command.NotFound("item \"" + id + "\"")
	}
	forms, err := k.found.Expand(id)
	if err != nil {
		return nil, named(err, "item %q", id)
	}
	for i, m := range forms {
		n := k.count(render.Block(m))
		if last := i == len(forms)-1; last && n > k.args.Budget {
			m.Body, m.Format = k.shorten(m.Body, k.args.Budget-(n-k.count(m.Body))-expandSlack), "summary"
			if m.Body == "" {
				break
			}
		}
		if k.putItem(id, m, nil) {
			break
		}
	}
	return &k.out, nil
}

// expandSlack is how many tokens the seams between an element's body and its delimiters may take.
const expandSlack = 4

// shorten cuts a text that was requested by its id to at most max tokens, inside a line if not even
// one line fits.
func (k *recallRequest) shorten(text string, max int) string {
	shown := func(text string) int { return k.count(render.Escape(text)) }
	if short := bundle.Shorten(text, max, shown); short != "" {
		return short
	}
	const more = " […]"
	start, _ := k.truncate(text, max-k.count(more))
	if start = strings.TrimSpace(start); start == "" {
		return ""
	}
	return start + more
}

// putItem answers with one item if it fits the budget. src is the index that it is from, nil for
// none.
func (k *recallRequest) putItem(id string, m item.Item, src *session.Source) bool {
	block := render.Block(m)
	n := k.count(block)
	if n > k.args.Budget {
		return false
	}
	k.out.Text, k.out.Tokens = block, n
	m.ID, m.Layer, m.Tokens, m.Span = id, item.L5JIT, n, item.Span{End: len(block)}
	k.out.Items = []command.Item{k.bundles().item(m, src)}
	return true
}

// expandPersonal returns a text of the person's own or the project's rules.
func (k *recallRequest) expandPersonal(kind, name string) (*command.RecallResult, error) {
	for _, p := range k.bundles().personal(k.root, nil) {
		if p.Name != name || p.Identity != (kind == "identity") {
			continue
		}
		m := item.Item{Kind: item.Kind(kind), Title: p.Name, Body: strings.TrimSpace(p.Text), Format: "full", Score: 1, Reason: "requested by its id", URI: p.URI}
		if !k.putItem(kind+":"+name, m, nil) {
			m.Body, m.Format = k.shorten(m.Body, k.args.Budget-k.count(render.Block(item.Item{Kind: m.Kind, Title: p.Name}))-expandSlack), "summary"
			k.putItem(kind+":"+name, m, nil)
		}
		return &k.out, nil
	}
	return nil, command.NotFound("item \"" + kind + ":" + name + "\"")
}

// expandCode finds the place that an id names. It scans every piece of the workspace: an id has
// only a hash of a piece's path and lines.
func (k *recallRequest) expandCode(ctx context.Context, id string) (*command.RecallResult, error) {
	src, err := k.index(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Release()
	if src.Snapshot == nil {
		k.out.Degraded = append(k.out.Degraded, src.Lacks()...)
		return nil, command.NotFound("item \"" + id + "\"")
	}
	reader := src.Snapshot.NewReader()
	piece, _, _ := strings.Cut(id, lineMark)
	for n := range src.Snapshot.Chunks() {
		if bundle.CodeID(src.Snapshot.Chunk(n)) != piece {
			continue
		}
		chunk, text, gate := reader.Chunk(n)
		if gate != "" {
			continue
		}
		body := strings.TrimRight(string(text), "\n")
		k.putItem(id, item.Item{
			Kind: bundle.KindOf(chunk.Language), Title: cmp.Or(chunk.Title, chunk.Path), Body: body, Score: 1, Format: "full", Reason: "requested by its id",
			Attrs: []item.Attr{{Name: "path", Value: chunk.Path}, {Name: "lines", Value: cut.Range{First: chunk.StartLine, Last: chunk.EndLine}.String()}},
			Path:  chunk.Path, Symbols: chunk.Symbols, StartLine: chunk.StartLine, EndLine: chunk.EndLine, LastLine: body[strings.LastIndexByte(body, '\n')+1:],
		}, src)
		return &k.out, nil
	}
	return nil, command.NotFound("item \"" + id + "\"")
}
