package knowledge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Bounds of a reference that memory assembles, in tokens unless another unit is named.
const (
	saidTokens, sectionTokens = 2500, 1500 // of statements, and of documents
	minTokens                 = 150        // less is not worth a reference
	mostReferences            = 16
	maxPassages               = 60 // sentences that are compared, and quoted, for one topic
	manyUses                  = 8  // turns that replace a second conversation
	minFirm                   = 3  // passages with more content than small talk
)

// passage is a sentence that a reference may quote.
type passage struct {
	Quotation
	source  string
	place   int // index in its conversation
	names   []string
	worth   float64
	change  float64
	firm    bool // it decides, reports or names something
	profile *utterance.Profile
}

func (p *passage) shape() utterance.Profile {
	if p.profile == nil {
		shape := utterance.NewProfile(p.Text)
		p.profile = &shape
	}
	return *p.profile
}

// passagesOf returns the sentences of a conversation that may have lasting content: no questions,
// no orders, no announcements, and nothing that an assistant says before it calls a tool.
func passagesOf(a *conversationLog) ([]*passage, error) {
	var out []*passage
	for k, s := range a.said {
		if k%8 == 0 {
			if err := a.pause(); err != nil {
				return nil, err
			}
		}
		t := a.talk[s.turn]
		m := &t.Turn.Messages[s.message]
		p := s.scores
		settled := max(p[utterance.Directive], p[utterance.Decision])
		if p[utterance.Question] >= .5 || strings.ContainsAny(s.text[runeStart(s.text, len(s.text)-1):], "?？:：") || p[utterance.Order] > max(orderAt, settled) || !s.person && beforeTool(t.Turn.Messages, s.message) ||
			utterance.CountWords(s.text) < fewWords {
			continue
		}
		happened := max(p[utterance.Problem], p[utterance.Fixed])
		one := &passage{
			source: SourceTurn(t.Conversation, dialogue.TurnID(t.Turn.Number)), place: k,
			worth: max(settled, happenedWorth*happened, proposedWorth*p[utterance.Proposal]), firm: settled >= candidateAt || happened >= fixedAt,
			Quotation: Quotation{
				Conversation: t.Conversation, Turn: dialogue.TurnID(t.Turn.Number), Message: m.ID, Text: strings.Clone(s.text), At: m.At.UTC(), Author: m.Author,
			},
		}
		if settled > happened {
			one.change = max(p[utterance.Change], p[utterance.Decision])
		}
		code := false
		for _, term := range utterance.Terms(one.Text) {
			code = code || term.Code
			if name := topical(one.Text, term); name != "" && !slices.Contains(one.names, name) {
				one.names = append(one.names, name)
			}
		}
		if code {
			one.worth, one.firm = one.worth+codeWorth, true
		}
		if s.person {
			one.worth += personWorth
		}
		out = append(out, one)
	}
	return out, nil
}

// beforeTool reports whether a message calls a tool or a tool's answer follows it.
func beforeTool(messages []dialogue.Message, i int) bool {
	return len(messages[i].ToolCalls) > 0 || i+1 < len(messages) && messages[i+1].Role == dialogue.Tool
}

// assemble stages a reference for each topic that was talked about in two conversations, or much in
// one, or that a person pinned, and that no reference put by hand covers. The quotations are
// replaced as a whole; a reference that a person removed does not come back, and one without any
// support left is removed unless it was confirmed.
func (p *pass) assemble() error {
	earlier := map[string]*Item{}
	p.items = slices.DeleteFunc(p.items, func(it *Item) bool {
		if it.Assembled() {
			earlier[it.ID] = it
		}
		return earlier[it.ID] != nil
	})
	bySource, byName, err := p.placed()
	if err != nil {
		return err
	}
	topics, chosen, err := p.referable(bySource, byName)
	if err != nil {
		return err
	}
	made := map[string]*Item{}
	for _, had := range []bool{true, false} { // topics with a reference keep it
		for _, topic := range topics {
			if err := p.pacer.pause(); err != nil {
				return err
			}
			old := earlier[referenceID(topic)]
			if it := p.in.sameWord(topic, made); it != nil {
				continue
			}
			if had != (old != nil) || len(made) == mostReferences || quotedBy(topics, made, chosen[topic]) != nil {
				continue
			}
			it, err := p.reference(topic, chosen[topic], old)
			if err != nil {
				return err
			}
			if it != nil {
				made[topic] = it
			}
		}
	}
	for _, topic := range topics {
		it := cmp.Or(p.in.sameWord(topic, made), quotedBy(topics, made, chosen[topic]))
		if it != nil && made[topic] == nil && slices.ContainsFunc(it.Quotations, func(q Quotation) bool { return q.Path == "" && subject.Says(q.Text, topic) }) {
			it.Topics = append(it.Topics, topic)
		}
	}
	return p.replaceReferences(earlier, made)
}

// referable returns the folded names of the topics that deserve a reference, pinned ones first,
// then those asked about often, then by weight, with the passages that are worth quoting on each.
func (p *pass) referable(bySource, byName map[string][]*passage) (topics []string, chosen map[string][]*passage, err error) {
	var list []*subject.Subject
	often := map[*subject.Subject]int{}
	for i := range p.set.Topics {
		s := &p.set.Topics[i]
		if (s.Pinned || s.Count >= manyUses || len(conversationsOf(s.Turns)) > 1) && !covered(p.items, s.Keys[0]) && !covered(p.items, s.Label) {
			list = append(list, s)
			often[s] = btoi(len(questionsOn(p.questions, s).Evidence) >= minQuestions) + 2*btoi(s.Pinned)
		}
		if err := p.pacer.pause(); err != nil {
			return nil, nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b *subject.Subject) int { return cmp.Compare(often[b], often[a]) })
	chosen = map[string][]*passage{}
	for _, s := range list {
		if err := p.pacer.pause(); err != nil {
			return nil, nil, err
		}
		topic := s.Keys[0]
		topics = append(topics, topic)
		var naming, around []*passage
		for _, k := range s.Keys {
			naming = append(naming, byName[k]...)
		}
		for _, source := range s.Turns {
			around = append(around, bySource[source]...)
		}
		if chosen[topic], err = choose(naming, around, p.in.size, p.pacer.pause); err != nil {
			return nil, nil, err
		}
	}
	return topics, chosen, nil
}

// conversationsOf returns the conversations of some sources.
func conversationsOf(sources []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range sources {
		if c, _, ok := ParseSource(s); ok {
			out[c] = true
		}
	}
	return out
}

// sameWord returns the reference that was made on another form of a topic's word, nil when there is
// none.
func (in *ProcessInput) sameWord(topic string, made map[string]*Item) *Item {
	if in.Terms == nil {
		return nil
	}
	stems := termsOf(topic, in.Terms)
	for _, other := range slices.Sorted(maps.Keys(made)) {
		if other != topic && slices.Equal(termsOf(other, in.Terms), stems) {
			return made[other]
		}
	}
	return nil
}

// referenceID returns the id of the reference that memory assembles on a topic.
func referenceID(topic string) string { return makeID(string(Reference), "assembled", topic) }

// placed returns the passages by turn and by the topics that they name, without those that a person
// removed as rules or that a later rule replaced.
func (p *pass) placed() (bySource, byName map[string][]*passage, err error) {
	withdrawn := map[string]bool{}
	prefix := key(p.tx.Workspace, keyRemoved)
	err = p.tx.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		name, _, ok := store.TakeString(k[len(prefix):])
		withdrawn[name] = ok
		return true, nil
	})
	for _, it := range p.items {
		if it.Kind == Rule && !it.Holds() {
			withdrawn[removedName(it.Content)] = true
		}
	}
	bySource, byName = map[string][]*passage{}, map[string][]*passage{}
	for k, one := range p.passages {
		if k%16 == 0 {
			if err := p.pacer.pause(); err != nil {
				return nil, nil, err
			}
		}
		if len(withdrawn) > 0 && withdrawn[removedName(one.Text)] {
			continue
		}
		bySource[one.source] = append(bySource[one.source], one)
		for _, name := range one.names {
			byName[name] = append(byName[name], one)
		}
	}
	return bySource, byName, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// choose returns the passages worth quoting among those that name a topic and those around them, in
// chronological order. Of several with the same content the newest stays.
func choose(naming, around []*passage, count func(string) int, pause func() error) ([]*passage, error) {
	score := scores(naming, around)
	var list []*passage
	for one, s := range score {
		if s >= worthAt {
			list = append(list, one)
		}
	}
	best := func(a, b *passage) int { return cmp.Or(cmp.Compare(score[b], score[a]), b.later(a)) }
	slices.SortFunc(list, best)
	list, err := newestSaid(list[:min(maxPassages, len(list))], pause)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, best)
	room, firm := saidTokens, 0
	list = slices.DeleteFunc(list, func(one *passage) bool {
		n := count(one.Text) + 1
		if n > room {
			return true
		}
		room -= n
		firm += btoi(one.firm)
		return false
	})
	if firm < minFirm {
		return nil, nil
	}
	slices.SortFunc(list, (*passage).later)
	return list, nil
}

// scores returns the weights of passages by their acts and by the words that occur with the topic
// in several turns. Passages that do not name it count if they have such words or are next to one
// that names it.
func scores(naming, around []*passage) map[*passage]float64 {
	spread := map[string]map[string]bool{} // words that occur with the topic, by the turns in which they do
	for _, one := range naming {
		for _, name := range one.names {
			if spread[name] == nil {
				spread[name] = map[string]bool{}
			}
			spread[name][one.source] = true
		}
	}
	out := map[*passage]float64{}
	at := map[standing]bool{}
	for _, one := range naming {
		at[one.standing(0)] = true
	}
	weigh := func(one *passage, about float64) {
		if _, ok := out[one]; ok {
			return
		}
		common := 0
		for _, name := range one.names {
			common += btoi(len(spread[name]) > 1)
		}
		if about == 1 || common > 0 || at[one.standing(1)] || at[one.standing(-1)] {
			out[one] = about * (one.worth + commonWorth*float64(min(3, common)))
		}
	}
	for _, one := range naming {
		weigh(one, 1)
	}
	for _, one := range around {
		weigh(one, aroundShare)
	}
	return out
}

// later compares the times of passages.
func (p *passage) later(o *passage) int {
	return cmp.Or(p.At.Compare(o.At), cmp.Compare(p.Conversation, o.Conversation), cmp.Compare(p.place, o.place))
}

// newestSaid leaves out what a later passage repeats or changes.
func newestSaid(list []*passage, pause func() error) ([]*passage, error) {
	slices.SortFunc(list, func(a, b *passage) int { return b.later(a) })
	var out []*passage
	for _, one := range list {
		if err := pause(); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o *passage) bool {
			return o.Text == one.Text || o.shape().Likeness(one.shape()) >= alikeAt && !differs(o.Text, one.Text) ||
				o.change >= changedAt && o.shape().Likeness(one.shape()) >= changesAt
		}) {
			out = append(out, one)
		}
	}
	return out, nil
}

// quotedBy returns the first reference that quotes at least half of some passages.
func quotedBy(topics []string, made map[string]*Item, list []*passage) *Item {
	for _, topic := range topics {
		n := 0
		for _, one := range list {
			n += btoi(made[topic] != nil && slices.ContainsFunc(made[topic].Quotations, func(q Quotation) bool { return q.Text == one.Text }))
		}
		if n > 0 && 2*n >= len(list) {
			return made[topic]
		}
	}
	return nil
}

// reference returns the reference on a topic; nil when too little was said. old is that of an
// earlier run.
func (p *pass) reference(topic string, list []*passage, old *Item) (*Item, error) {
	removed, err := p.shelf.isRemoved(referenceID(topic))
	if err != nil || removed || len(list) == 0 {
		return nil, err
	}
	quotations, err := p.in.sections(topic, old)
	if err != nil {
		return nil, err
	}
	it := &Item{
		ID: referenceID(topic), Kind: Reference, Topics: []string{topic}, Weight: 1, Learned: true, State: Candidate,
		CreatedAt: list[0].At, UpdatedAt: list[len(list)-1].At,
	}
	for _, one := range list {
		quotations = append(quotations, one.Quotation)
	}
	if it.Quotations = quotations; !it.requote() || p.in.size(it.Content) < minTokens {
		return nil, nil
	}
	if old != nil {
		it.State, it.Confirmation, it.CreatedAt = old.State, old.Confirmation, old.CreatedAt
		if old.UpdatedAt.After(it.UpdatedAt) {
			it.UpdatedAt = old.UpdatedAt
		}
	}
	return it, nil
}

// Assembled reports whether an item is a reference that memory assembled.
func (it *Item) Assembled() bool { return it.Kind == Reference && it.Learned }

// requote makes the text of an assembled reference from its quotations; its title is its first
// topic in the latest spelling. It reports false when no message names that any more.
func (it *Item) requote() bool {
	it.Title, it.Content, it.MessageIDs, it.SourceTurns = "", "", nil, []string{}
	var lines []string
	named := map[string]bool{}
	for _, q := range it.Quotations {
		lines = append(lines, q.Text)
		if q.Path != "" {
			continue
		}
		if source := SourceTurn(q.Conversation, q.Turn); !slices.Contains(it.SourceTurns, source) {
			it.SourceTurns = append(it.SourceTurns, source)
		}
		if q.Message != "" && !slices.Contains(it.MessageIDs, q.Message) {
			it.MessageIDs = append(it.MessageIDs, q.Message)
		}
		for _, t := range utterance.Terms(q.Text) {
			name := topical(q.Text, t)
			if named[name] = true; len(it.Topics) > 0 && name == it.Topics[0] {
				it.Title = q.Text[t.Start:t.End]
			}
		}
	}
	it.Topics = slices.DeleteFunc(slices.Clone(it.Topics), func(t string) bool { return !named[t] })
	it.Content = strings.Join(lines, "\n")
	it.Keywords = keywords(it.Content, 12)
	return it.Title != ""
}

// replaceReferences stages the new references in place of earlier runs'. What is the same stays as
// it is.
func (p *pass) replaceReferences(earlier, made map[string]*Item) error {
	for _, it := range made {
		delete(earlier, it.ID)
		if err := p.shelf.put(it); err != nil {
			return err
		}
		p.items = append(p.items, it)
	}
	for _, it := range earlier {
		if it.State == Confirmed || p.isDistant(it) {
			p.items = append(p.items, it)
			continue
		}
		p.out.Pruned++
		if err := p.shelf.remove(it.ID); err != nil {
			return err
		}
	}
	return nil
}
