package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/predict"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
)

// predictions holds what was predicted for the roots of a process, until it is learned from. Safe
// for concurrent use.
type predictions struct {
	mu    sync.Mutex // guards all below
	roots map[string]*expected
}

// expected is what was predicted for a root, and what was asked since.
type expected struct {
	weights *predict.Weights // nil until they are read from memory
	list    []predict.Prediction
	asked   []question
	last    question
}

// question is a request for a bundle.
type question struct {
	conversation, prompt string
	file                 string // the best one of the answer
}

// maxQuestions bounds the questions waiting to be learned from.
const maxQuestions = 64

// predictionNote is the name under which a workspace stores what was learned of predictions.
const predictionNote = "prediction"

// Presence implements command.Commands.
func (c bundleCommands) Presence(ctx context.Context, args *command.PresenceArgs) (*command.PresenceResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.PresenceResult{Predictions: []command.Prediction{}}
	if r == nil {
		return out, nil // it can answer only from memory and buffers
	}
	if !r.Settings.Enabled {
		return nil, session.ErrSwitchedOff
	}
	if !r.Settings.Prediction.Enabled {
		return nil, command.Unavailable("prediction, by the setting prediction.enabled,")
	}
	list, err := c.foresee(ctx, r, args)
	if err != nil {
		return nil, err
	}
	st, ok := r.Opening.IndexStatus()
	for i := range list {
		p := &list[i]
		out.Predictions = append(out.Predictions, command.Prediction{
			Type: p.Type(), ConversationID: p.Conversation, Topic: p.Topic, Entity: p.Entity, Probability: p.Probability,
			RequiredBundles: p.Parts(), Warm: ok && st.State == indexer.Idle,
		})
	}
	return out, nil
}

// foresee predicts the next requests, and learns from those made since the last call.
func (c bundleCommands) foresee(ctx context.Context, r *session.RootView, seen *command.PresenceArgs) ([]predict.Prediction, error) {
	now := c.server.Now()
	sit := predict.Situation{Now: now}
	c.gatherVisits(&sit, r, seen)
	hour := now.Hour()
	if seen.LocalTime != nil {
		hour = seen.LocalTime.Hour()
	}
	w, stored, err := c.gatherTalks(ctx, &sit, r, seen)
	if err != nil {
		return nil, err
	}
	list, note := c.server.predictions.update(r.Real, &sit, hour, stored)
	if note != nil && w != nil {
		return list, engine.MemoryError(w.NoteLater(predictionNote, note))
	}
	return list, nil
}

// update predicts for a root after learning from what was asked there since the last call. stored
// are the weights in memory; note is what is to be stored instead, nil for nothing new.
func (p *predictions) update(root string, sit *predict.Situation, hour int, stored []byte) (list []predict.Prediction, note []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.roots[root]
	if e == nil {
		e = &expected{}
		p.roots[root] = e
	}
	if e.weights == nil {
		e.weights = predict.Decode(stored)
	}
	if len(e.asked) > 0 {
		e.learn(sit.Topics, hour)
		note = e.weights.Encode()
	}
	for i := range sit.Topics {
		sit.Topics[i].Usual = e.weights.Usual(sit.Topics[i].Name, hour)
	}
	e.list = predict.Predict(*sit, e.weights)
	return slices.Clone(e.list), note
}

// learn learns from the questions since the last call. topics are those that questions may be
// about.
func (e *expected) learn(topics []predict.Topic, hour int) {
	for _, q := range e.asked {
		e.weights.Learn(e.list, q.fulfils)
		for _, t := range topics {
			if q.mentions(t.Name) {
				e.weights.Asked(t.Name, hour)
			}
		}
	}
	e.asked = nil
}

// fulfils reports whether a question was predicted: that its conversation continues, or its
// subject.
func (q *question) fulfils(p *predict.Prediction) bool {
	if p.Signal == predict.Active || p.Signal == predict.Visible {
		return p.Conversation == q.conversation
	}
	return q.mentions(p.Topic) || q.mentions(p.Entity) || p.Entity != "" && p.Entity == q.file
}

// mentions reports whether a question contains a name, possibly as the stem of a word.
func (q *question) mentions(name string) bool {
	return name != "" && strings.Contains(strings.ToLower(q.prompt), strings.ToLower(name))
}

// asked records a request for a bundle, unless it repeats the one before, in a root for which
// something was predicted.
func (p *predictions) asked(root string, args *command.BundleArgs, b *bundle.Bundle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.roots[root]
	if e == nil || e.last.prompt == args.Prompt && e.last.conversation == args.ConversationID || len(e.asked) >= maxQuestions {
		return
	}
	e.last = question{args.ConversationID, args.Prompt, bestFile(b)}
	e.asked = append(e.asked, e.last)
}

// bestFile returns the file of a bundle's best place; "" for none.
func bestFile(b *bundle.Bundle) (path string) {
	best := math.Inf(-1)
	for _, it := range b.Items {
		if it.Path != "" && it.Score > best && (it.Kind == "code" || it.Kind == "doc" || it.Kind == "entity") {
			path, best = it.Path, it.Score
		}
	}
	return path
}

// unlearn discards what was learned in a root.
func (p *predictions) unlearn(root string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.roots, root)
}

// Bounds of what is read of the past for a prediction.
const (
	lastMessages   = 30 // of a conversation
	lastTurns      = 30
	ownThings      = 5 // mentioned by the conversation in focus
	otherThings    = 3 // mentioned by others
	otherWeight    = .6
	visitedThings  = 3
	replyTalks     = 8 // conversations whose short messages are counted
	replyBytes     = 24
	minReplies     = 2 // times that a reply must have occurred
	repliesAtMost  = 3
	thingStep      = .12 // decrease of the weight for each further thing
	longestVisited = 1000
)

// gatherTalks reads what memory has on the conversations in view. w is nil when memory is switched
// off or unavailable.
func (c bundleCommands) gatherTalks(ctx context.Context, sit *predict.Situation, r *session.RootView, seen *command.PresenceArgs) (w *memory.Workspace, stored []byte, err error) {
	if !r.Settings.Memory.Enabled {
		return nil, nil, nil
	}
	if w, err = c.memoryOf(ctx, r); err != nil {
		return nil, nil, ctx.Err() // bundles report what is missing; the visited locations are still known
	}
	v := w.View()
	defer v.Close()
	g := situationReader{v, sit}
	focus, err := g.focus(seen.ActiveConversationID)
	if err != nil {
		return nil, nil, engine.MemoryError(err)
	}
	active, err := g.talk(focus, &sit.Active)
	if err != nil {
		return nil, nil, engine.MemoryError(err)
	}
	for _, id := range seen.VisibleConversationIDs[:min(replyTalks, len(seen.VisibleConversationIDs))] {
		var t predict.Talk
		if _, err := g.talk(id, &t); err != nil {
			return nil, nil, engine.MemoryError(err)
		}
		sit.Visible = append(sit.Visible, t)
	}
	for _, step := range []func() error{func() error { return g.things(active) }, g.replies, g.topics} {
		if err := step(); err != nil {
			return nil, nil, engine.MemoryError(err)
		}
	}
	stored, err = v.Note(predictionNote)
	return w, stored, engine.MemoryError(err)
}

// situationReader reads one state of memory for a prediction.
type situationReader struct {
	view *memory.View
	sit  *predict.Situation
}

// liveFor is how long after its last message a conversation counts as current when an editor names
// none: it may be held in a terminal.
const liveFor = 30 * time.Minute

// focus returns the current conversation: the one that an editor names, else the latest, while it
// is recent.
func (g *situationReader) focus(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	list, _, err := g.view.Conversations.List(1, "")
	if err != nil || len(list) == 0 || g.sit.Now.Sub(list[0].LastAt) > liveFor {
		return "", err
	}
	return list[0].ID, nil
}

// talk reads the end of a conversation. One that does not exist yet has none.
func (g *situationReader) talk(id string, t *predict.Talk) (conversation.Info, error) {
	t.ID = id
	if id == "" {
		return conversation.Info{}, nil
	}
	info, err := g.view.Conversations.Find(id)
	if errors.Is(err, conversation.ErrNotFound) {
		return conversation.Info{}, nil
	}
	if err != nil {
		return conversation.Info{}, err
	}
	list, err := g.view.Messages.Latest(info, lastMessages)
	for _, m := range list {
		switch said := strings.TrimSpace(m.Message.Content); {
		case said == "" || m.Message.Role == dialogue.Tool:
		case m.Message.Role == dialogue.User:
			t.Asked = said
			return info, nil
		case m.Message.Role == dialogue.Assistant && t.Answered == "":
			t.Answered = said
		}
	}
	return info, err
}

// things reads which files and symbols were mentioned recently.
func (g *situationReader) things(active conversation.Info) error {
	if active.Turns > 0 {
		ledger, err := g.view.Ledger(active, max(1, active.Turns-lastTurns+1), active.Turns)
		if err != nil {
			return fmt.Errorf("read what the conversation mentions: %w", err)
		}
		g.mentioned(ledger.Latest(ownThings), 1, active.LastAt)
	}
	latest, _, err := g.view.Conversations.List(1, "")
	if err != nil || len(latest) == 0 {
		return err
	}
	lately, err := g.view.Lately(active)
	if err != nil {
		return fmt.Errorf("read what conversations mention: %w", err)
	}
	g.mentioned(lately.Latest(otherThings), otherWeight, latest[0].LastAt)
	return nil
}

func (g *situationReader) mentioned(list []subject.DatedMention, weight float64, at time.Time) {
	for i, m := range list {
		addThing(g.sit, predict.Thing{Name: m.Name, Weight: max(weight-thingStep*float64(i), 0), Last: at})
	}
}

// addThing adds a file or symbol, or raises the existing one.
func addThing(sit *predict.Situation, t predict.Thing) {
	for i := range sit.Entities {
		if e := &sit.Entities[i]; e.Name == t.Name {
			e.Weight = max(e.Weight, t.Weight)
			if t.Last.After(e.Last) {
				e.Last = t.Last
			}
			return
		}
	}
	sit.Entities = append(sit.Entities, t)
}

// replies counts the short messages of people that recur.
func (g *situationReader) replies() error {
	list, _, err := g.view.Conversations.List(replyTalks, "")
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, info := range list {
		latest, err := g.view.Messages.Latest(info, lastMessages)
		if err != nil {
			return err
		}
		for _, m := range latest {
			if said := m.Message.Content; m.Message.Role == dialogue.User && 0 < len(said) && len(said) <= replyBytes && utf8.ValidString(said) {
				counts[said]++
			}
		}
	}
	for said, n := range counts {
		if n >= minReplies {
			g.sit.Replies = append(g.sit.Replies, said)
		}
	}
	slices.SortFunc(g.sit.Replies, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	g.sit.Replies = g.sit.Replies[:min(repliesAtMost, len(g.sit.Replies))]
	return nil
}

func (g *situationReader) topics() error {
	found, err := g.view.Subjects.All()
	if err != nil {
		return err
	}
	for _, t := range found.Topics {
		g.sit.Topics = append(g.sit.Topics, predict.Topic{Name: t.Label, Weight: t.Weight, Last: t.Last})
	}
	return nil
}

// gatherVisits collects the locations that an editor reports, except those outside the root.
func (c bundleCommands) gatherVisits(sit *predict.Situation, r *session.RootView, seen *command.PresenceArgs) {
	var recent []string
	note := func(place string, at time.Time) {
		path, ok := visited(r, place)
		if !ok {
			return
		}
		sit.Visits = append(sit.Visits, predict.Visit{Path: path, At: at})
		recent = append(recent, path)
	}
	for _, v := range seen.Navigation {
		note(v.Path, v.At.Time)
	}
	if seen.ActiveDocument != "" {
		note(seen.ActiveDocument, sit.Now)
	}
	weight := 1.0
	for _, path := range slices.Backward(recent) {
		if !slices.ContainsFunc(sit.Entities, func(t predict.Thing) bool { return t.Name == path }) {
			addThing(sit, predict.Thing{Name: path, Weight: weight, Last: sit.Now})
			weight -= thingStep
		}
		if len(sit.Entities) == visitedThings {
			break
		}
	}
}

// visited returns the path, relative to a root, of a location given as a path or a URI.
func visited(r *session.RootView, place string) (string, bool) {
	if len(place) > longestVisited {
		return "", false
	}
	if u, err := url.Parse(place); err == nil && u.Scheme != "" && len(u.Scheme) > 1 {
		path, ok := transport.FilePath(place)
		if !ok {
			return "", false
		}
		place = path
	}
	if filepath.IsAbs(place) {
		for _, root := range []string{r.Path, r.Real} {
			if rel, err := filepath.Rel(root, place); err == nil && filepath.IsLocal(rel) && rel != "." {
				return filepath.ToSlash(rel), true
			}
		}
		return "", false
	}
	return filepath.ToSlash(place), filepath.IsLocal(place)
}
