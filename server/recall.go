package server

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
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
func (c commands) Recall(ctx context.Context, args *command.RecallArgs) (*command.RecallResult, error) {
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
	k := &recallRequest{commands: c, args: args, root: r, count: counter.Count, truncate: counter.Truncate}
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
	commands
	args  *command.RecallArgs
	root  *session.RootView
	count func(string) int
	// truncate returns the start of a text that has at most max tokens.
	truncate func(text string, max int) (prefix string, n int)
	view     *memory.View // nil when memory cannot be read
	found    *remember.Found
	out      command.RecallResult
}

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
		info, err := k.view.Find(id)
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
	var places *places
	var err error
	if k.wantsCode() {
		if places, err = k.code(ctx, signals); err != nil {
			return nil, err
		}
		defer places.release()
		if places.any() {
			req.Budget -= int(float64(req.Budget) * codeShare)
		}
	}
	if k.view != nil && k.args.MemoryType != "code" {
		res, err := recall.Build(ctx, req, k.found)
		if err != nil {
			return nil, engine.MemoryError(err)
		}
		for _, it := range res.Items {
			k.out.Items = append(k.out.Items, k.item(it, nil))
		}
		k.out.Text, k.out.Tokens = res.Text, res.Tokens
	}
	if places != nil {
		k.pack(ctx, places)
	}
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

// places are the places of the workspace that a recall found.
type places struct {
	src  *session.Source
	list []*item.Item
}

func (p *places) release() { p.src.Release() }

func (p *places) any() bool { return len(p.list) > 0 }

// recallPlaces bounds the places that are examined.
const recallPlaces = 60

// index opens the workspace's index; its release must be called.
func (k *recallRequest) index(ctx context.Context) (*session.Source, error) {
	return k.OpenForMemory(ctx, k.root)
}

// code searches the workspace.
func (k *recallRequest) code(ctx context.Context, signals intent.Signals) (*places, error) {
	src, err := k.index(ctx)
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	out := &places{src: src}
	k.out.Degraded = append(k.out.Degraded, src.Lacks()...)
	if src.Snapshot == nil {
		return out, nil
	}
	res := retrieve.Run(work, src.Snapshot, retrieve.Request{
		Query: k.args.Query, Intent: signals, Limit: recallPlaces, Deadline: k.left(work), Builtin: src.Models == nil,
	}, k.server.Now)
	if err := ctx.Err(); err != nil {
		src.Release()
		return nil, err
	}
	k.out.Degraded = append(k.out.Degraded, degradations(res.Degraded)...)
	out.list = res.Worth()
	return out, nil
}

// pack adds the best places up to the rest of the budget.
func (k *recallRequest) pack(ctx context.Context, p *places) {
	if p.src.Snapshot == nil {
		return
	}
	reader := p.src.Snapshot.NewReader()
	for _, c := range p.list {
		if ctx.Err() != nil {
			return
		}
		chunk, text, gate := reader.Chunk(c.Chunk)
		if gate == "" {
			k.put(p.src, c, chunk, strings.TrimRight(string(text), "\n"))
		}
	}
}

// put adds a place if it fits.
func (k *recallRequest) put(src *session.Source, c *item.Item, chunk indexer.Chunk, text string) {
	kind := bundle.KindOf(chunk.Language)
	block := render.Block(item.Item{Kind: kind, Body: text, Attrs: []item.Attr{
		{Name: "path", Value: chunk.Path}, {Name: "lines", Value: strconv.Itoa(chunk.StartLine+1) + "-" + strconv.Itoa(chunk.EndLine+1)},
	}})
	n := k.count(block)
	if k.out.Tokens+n > k.args.Budget {
		return
	}
	title := chunk.Title
	if title == "" {
		title = chunk.Path
	}
	start := len(k.out.Text)
	k.out.Text += block
	k.out.Tokens += n
	k.out.Items = append(k.out.Items, k.item(item.Item{
		ID: bundle.CodeID(chunk), Layer: item.L5JIT, Kind: kind, Title: title, Tokens: n, Score: c.Score, Format: "full",
		Reason: strings.Join(c.Reasons[:min(3, len(c.Reasons))], "; "), Path: chunk.Path, Symbols: chunk.Symbols,
		StartLine: chunk.StartLine, EndLine: chunk.EndLine, LastLine: text[strings.LastIndexByte(text, '\n')+1:],
		Span: item.Span{Start: start, End: len(k.out.Text)},
	}, src))
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
		if k.putItem(id, m) {
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

// putItem answers with one memory if it fits the budget.
func (k *recallRequest) putItem(id string, m item.Item) bool {
	block := render.Block(m)
	n := k.count(block)
	if n > k.args.Budget {
		return false
	}
	k.out.Text, k.out.Tokens = block, n
	m.ID, m.Layer, m.Tokens, m.Span = id, item.L5JIT, n, item.Span{End: len(block)}
	k.out.Items = []command.Item{k.item(m, nil)}
	return true
}

// expandPersonal returns a text of the person's own or the project's rules.
func (k *recallRequest) expandPersonal(kind, name string) (*command.RecallResult, error) {
	for _, p := range k.personal(k.root, nil) {
		if p.Name != name || p.Identity != (kind == "identity") {
			continue
		}
		m := item.Item{Kind: item.Kind(kind), Title: p.Name, Body: strings.TrimSpace(p.Text), Format: "full", Score: 1, Reason: "requested by its id", URI: p.URI}
		if !k.putItem(kind+":"+name, m) {
			m.Body, m.Format = k.shorten(m.Body, k.args.Budget-k.count(render.Block(item.Item{Kind: m.Kind, Title: p.Name}))-expandSlack), "summary"
			k.putItem(kind+":"+name, m)
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
	for n := range src.Snapshot.Chunks() {
		if bundle.CodeID(src.Snapshot.Chunk(n)) != id {
			continue
		}
		chunk, text, gate := reader.Chunk(n)
		if gate != "" {
			continue
		}
		k.put(src, &item.Item{Chunk: n, Score: 1, Reasons: []string{"requested by its id"}}, chunk, strings.TrimRight(string(text), "\n"))
		return &k.out, nil
	}
	return nil, command.NotFound("item \"" + id + "\"")
}
