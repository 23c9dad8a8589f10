package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/team/fact"
)

// runLocal makes facts of items and items of facts whenever one of them changed, and again some
// time after that failed, until ctx ends.
func (r *repository) runLocal(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wakeLocal:
		case <-again:
		}
		select { // memory changes with every message
		case <-ctx.Done():
			return
		case <-rest.C:
		}
		err := r.pass(ctx)
		if ctx.Err() != nil {
			return
		}
		r.problem("reading and writing memory", err)
		if again = nil; err != nil {
			again = time.After(passAgain)
		}
		rest.Reset(passPause)
	}
}

const (
	// passPause is the shortest time between two passes that nobody waits for.
	passPause = 100 * time.Millisecond
	// passAgain is the time until a pass that failed, as on a full disk, is repeated.
	passAgain = 5 * time.Second
)

// passState is what a pass over a root's memory depends on.
type passState struct {
	knowledge uint64 // its version
	ledger    uint64 // its generation
	policy    string
}

// pass makes facts of the items that the person shares, and items of the facts of others, in the
// memory of each root. It waits for no server.
func (r *repository) pass(ctx context.Context) error {
	r.local.Lock()
	defer r.local.Unlock()
	r.mu.Lock()
	roots := slices.Clone(r.roots)
	r.mu.Unlock()
	var failed error
	for _, root := range roots {
		failed = errors.Join(failed, r.passRoot(ctx, root))
	}
	return failed
}

// passRoot is pass for one root. It does nothing when nothing changed since the last time.
func (r *repository) passRoot(ctx context.Context, root string) error {
	w, err := r.t.engine.Memory(ctx, root)
	if err != nil {
		return err
	}
	set, _ := r.t.engine.Settings(root, engine.SessionOptions{})
	v := w.View()
	version, err := v.Knowledge.Version()
	v.Close()
	if err != nil {
		return err
	}
	now := passState{version, r.ledger.generation(), strings.Join(set.Team.Share, " ")}
	if r.passed[root] == now {
		return nil
	}
	if err := errors.Join(r.collect(w, root, set.Team.Share), r.place(w, root)); err != nil {
		return err
	}
	r.passed[root] = now
	return nil
}

// collect makes facts of what the person shares and has not shared yet, and withdraws what they
// removed, replaced or no longer share. A policy that admits an item no longer does not withdraw
// it: a file that cannot be read for a moment must not take back what the team relies on.
func (r *repository) collect(w *memory.Workspace, root string, policy []string) error {
	v := w.View()
	items, err := v.Knowledge.List(knowledge.Filter{Superseded: true})
	v.Close()
	if err != nil {
		return err
	}
	shared, marks := r.ledger.madeOf(root)
	held := map[string]*knowledge.Item{}
	for i := range items {
		held[items[i].ID] = &items[i]
	}
	// What an item replaces, directly or by others that were never shared.
	replaced := map[string][]string{}
	for id, m := range shared {
		it := held[id]
		for range len(items) { // at most as many steps as there are items
			if it == nil || it.SupersededBy == "" {
				break
			}
			if it = held[it.SupersededBy]; it != nil && admitted(it, policy, marks) {
				replaced[it.ID] = append(replaced[it.ID], m.fact)
				break
			}
		}
	}
	for i := range items {
		it := &items[i]
		if !admitted(it, policy, marks) {
			continue
		}
		if err := r.share(root, it, shared, replaced[it.ID]); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(shared) {
		it, share := held[id], true
		if s, marked := marks[id]; marked {
			share = s
		}
		if it != nil && it.Holds() && it.Team == nil && share {
			continue
		}
		if err := r.withdraw(root, id, shared[id]); err != nil {
			return err
		}
	}
	return nil
}

// share makes a fact of an item, unless it was shared as it is. What holds a secret is not shared.
func (r *repository) share(root string, it *knowledge.Item, shared map[string]sharedFact, replaced []string) error {
	f := factOf(r.id, it)
	if err := r.checkSecrets(root, &f); err != nil {
		r.problem("sharing "+it.ID, err)
		return nil
	}
	text := textOf(f)
	before, known := shared[it.ID]
	if known && before.text == text && r.isOwn(before.fact) {
		return nil
	}
	if known {
		replaced = append(replaced, before.fact)
	}
	if of := knowledge.FactOf(it.ID); of != "" && !known { // a teammate's, changed by the person
		replaced = append(replaced, of)
	}
	slices.Sort(replaced)
	f.Supersedes = slices.Compact(replaced)
	id, sealed, err := r.signer.Sign(f)
	if errors.Is(err, fact.ErrInvalid) {
		r.problem("sharing "+it.ID, err)
		return nil
	}
	if err != nil {
		return err
	}
	r.problem("sharing "+it.ID, nil)
	return r.publish(sealed, &madeLine{Root: root, Item: it.ID, Fact: id, Text: text})
}

// errSecret is why an item with a secret is not shared.
var errSecret = errors.New("a secret was taken out of it, so that it is not shared")

func (r *repository) checkSecrets(root string, f *fact.Fact) error {
	for _, text := range textsOf(f) {
		if r.t.engine.Scanners.Redact(root, text) != text || strings.Contains(text, "[REDACTED:") {
			return errSecret
		}
	}
	return nil
}

// checkShareable returns why an item of a root could not be shared, or nil.
func (r *repository) checkShareable(root string, it *knowledge.Item) error {
	f := factOf(r.id, it)
	if err := r.checkSecrets(root, &f); err != nil {
		return err
	}
	_, _, err := r.signer.Sign(f)
	return err
}

// isOwn reports whether the person's present key has signed a fact; another membership has another
// key.
func (r *repository) isOwn(id string) (own bool) {
	r.ledger.view(func(set *fact.Set) {
		o := set.Get(id)
		own = o != nil && o.Author == r.signer.Author()
	})
	return own
}

// withdraw removes the fact that an item was shared as, and the earlier ones that it replaced.
func (r *repository) withdraw(root, item string, m sharedFact) error {
	var gone []string
	r.ledger.view(func(set *fact.Set) {
		replaced := func(h fact.Head) bool { return h.Author == r.signer.Author() && slices.Contains(h.Earlier, m.fact) }
		if !slices.ContainsFunc(set.Heads(), replaced) { // by what the person says now
			gone = ownEarlier(set, m.fact, r.signer.Author())
		}
	})
	for _, id := range gone {
		_, sealed, err := r.signer.Sign(fact.Fact{Repository: r.repositoryOf(id), Removes: id, At: r.t.engine.Now()})
		if err != nil {
			return err
		}
		if err := r.publish(sealed, nil); err != nil {
			return err
		}
	}
	return r.ledger.note(true, line{Made: &madeLine{Root: root, Item: item}})
}

// repositoryOf returns the id under which a fact was published.
func (r *repository) repositoryOf(id string) (repository string) {
	repository = r.id
	r.ledger.view(func(set *fact.Set) {
		if o := set.Get(id); o != nil {
			repository = o.Repository
		}
	})
	return repository
}

// ownEarlier returns a fact and all that it replaces of the same author.
func ownEarlier(set *fact.Set, id, author string) []string {
	out, next := []string(nil), []string{id}
	for len(next) > 0 {
		o := set.Get(next[0])
		next = next[1:]
		if o == nil || o.Author != author || slices.Contains(out, o.ID) {
			continue
		}
		out = append(out, o.ID)
		next = append(next, o.Supersedes...)
	}
	return out
}

// publish stores a signed fact with what it was made of, and wakes the sender.
func (r *repository) publish(sealed []byte, of *madeLine) error {
	o, err := fact.Open(sealed)
	if err != nil {
		return fmt.Errorf("check a fact that was just signed: %w", err)
	}
	if _, err := r.ledger.add(o); err != nil {
		return err
	}
	if of != nil {
		if err := r.ledger.note(true, line{Made: of}); err != nil {
			return err
		}
	}
	poke(r.wakeSend)
	return nil
}

// place makes the items of teammates in the memory of a root those of the facts that hold.
func (r *repository) place(w *memory.Workspace, root string) error {
	shared, _ := r.ledger.madeOf(root)
	mine := map[string]bool{}
	for _, m := range shared {
		mine[m.fact] = true
	}
	var heads []fact.Head
	r.ledger.view(func(set *fact.Set) { heads = set.Heads() })
	own, err := r.ownTexts(w)
	if err != nil {
		return err
	}
	var items []knowledge.Item
	for i := range heads {
		h := &heads[i]
		by := r.authorOf(h.VerifiedFact)
		if mine[h.ID] || by.own && h.Repository != r.id || r.isRepeat(h, own) {
			continue
		}
		items = append(items, itemOf(h, by, r.t.engine.Now()))
	}
	got, err := w.ReceiveKnowledge(items, func(s *knowledge.Provenance) (gone bool) {
		r.ledger.view(func(set *fact.Set) { gone = set.Removed(s.Fact, s.Key) })
		return gone
	})
	if err == nil && got.New+got.Removed > 0 {
		r.t.log.Info("facts of a team", "root", root, "new", got.New, "changed", got.Changed, "removed", got.Removed)
	}
	return err
}

// ownTexts returns the texts of what the person has themselves, by kind.
func (r *repository) ownTexts(w *memory.Workspace) (map[string]bool, error) {
	v := w.View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{})
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range items {
		if items[i].Team == nil {
			out[string(items[i].Kind)+" "+items[i].Line()] = true
		}
	}
	return out, nil
}

// isRepeat reports whether the person has the same words as their own.
func (r *repository) isRepeat(h *fact.Head, own map[string]bool) bool {
	it := itemOf(h, author{}, r.t.engine.Now())
	return own[string(it.Kind)+" "+it.Line()]
}

// forget removes from memory what others suggested; what the person accepted stays.
func (r *repository) forget(ctx context.Context) error {
	r.local.Lock()
	defer r.local.Unlock()
	r.mu.Lock()
	roots := r.roots
	r.roots = nil
	r.mu.Unlock()
	for _, root := range roots {
		w, err := r.t.engine.Memory(ctx, root)
		if err != nil {
			return err
		}
		if _, err := w.ReceiveKnowledge(nil, func(*knowledge.Provenance) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}
