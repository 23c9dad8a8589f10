package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

const (
	// maxLinked bounds the messages that are ranked by their links, and linkedBytes the bytes that
	// are read of them.
	maxLinked, linkedBytes = 400, 512 << 10
	// seeds is how many of the best messages links start from, linkSteps how many steps they reach,
	// and stepDecay the factor of each further step.
	seeds, linkSteps, stepDecay = 12, 2, .5
	// rareShare is the share of the found messages that may contain a word for it to link messages;
	// minRare messages always may. A file or a subject may be in several times as many.
	rareShare, minRare, madeShare = .03, 3, .2
	// strong is the share of the best message's score from which a message counts as a strong match
	// of its session.
	strong = .3
	// newWords is how many words unique among the found messages give a message the full newness.
	newWords = 6
	// fewStrong and usualRarity scale signs to about the range of the others.
	fewStrong, usualRarity = 5, 5
)

// Linked is a found message with the signs by which links decide whether it answers.
type Linked struct {
	recall.Hit
	Signs  LinkSigns
	said   Said
	terms  []int   // distinct
	ties   []int   // the terms, files and subjects that may link it to others
	factor float64 // factor of its score by the weight of its topics, about 1
	from   int     // the message that lends it most, −1 for none
	via    int     // the tie between the two
	why    string  // reason, "" when its own words matched
}

// Subject is a topic or an entity of turns.
type Subject struct {
	Label  string
	Factor float64 // of the score of a message, by weight and trend, about 1; 0 without a weight
	Turns  []int   // those of the given turns that belong to it
}

// Linker is an option of [Sources]: what an offline run found that turns have in common.
type Linker interface {
	// Subjects returns the subjects of turns; each turn is named "<conversation>/T-7".
	Subjects(ctx context.Context, turns []string) ([]Subject, error)
}

// LinkSigns are the features that decide whether a message answers. All depend on its position
// among the found messages, none on words of any language.
type LinkSigns struct {
	Score, Own, Share float64 // as in the search; Own reduced by newness
	Session           float64 // the best score of its session by words
	SessionCount      float64 // number of messages in its session with a high score by words
	Asked, Another    float64 // 1: said by someone whom the query names, or by someone else although it names somebody
	First, Asks       float64 // 1: begins a session; asks something
	Rarity, New       float64 // how rare its words are among the found messages, and how many only it has
	Length            float64 // logarithm of the number of words
	Near              float64 // similarity to the best messages, in words not in the query
	Link              float64 // what comes over words that few messages share, in two steps
}

// Features returns the signs as the model's input.
func (s LinkSigns) Features() []float64 {
	return []float64{
		s.Score, s.Own, math.Sqrt(s.Own), min(1, s.Share), s.Session, s.SessionCount, s.Asked, s.Another, s.First, s.Asks,
		s.Rarity, s.New, s.Length, s.Near, s.Link, s.Asked * s.Near, s.Asked * s.Own,
	}
}

// Links reads the best hits of a query and computes their links. The result is in the order of the
// hits; messages that no longer exist are left out.
func Links(ctx context.Context, query string, hits []recall.Hit, src Sources) ([]Linked, error) {
	list, err := readHits(ctx, hits[:min(maxLinked, len(hits))], src)
	if err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	s := &linkSpread{list: list}
	s.note(query, src.Terms)
	if err := s.tie(ctx, src); err != nil {
		return nil, fmt.Errorf("link what was found: %w", err)
	}
	s.sign()
	s.explain(src.Terms)
	return s.list, nil
}

// readHits reads messages, adjacent ones in one read.
func readHits(ctx context.Context, hits []recall.Hit, src Sources) ([]Linked, error) {
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(hits[a].Conversation, hits[b].Conversation), cmp.Compare(hits[a].Message, hits[b].Message))
	})
	found := make([]*Said, len(hits))
	for len(order) > 0 {
		n := 1
		for n < len(order) && hits[order[n]].Conversation == hits[order[0]].Conversation &&
			hits[order[n]].Message-hits[order[n-1]].Message <= maxGap {
			n++
		}
		run := order[:n]
		said, err := src.Messages(ctx, hits[run[0]].Conversation, hits[run[0]].Message, hits[run[n-1]].Message+1)
		if err != nil {
			return nil, err
		}
		for k := range said {
			i, ok := slices.BinarySearchFunc(run, said[k].Index, func(i, index int) int { return cmp.Compare(hits[i].Message, index) })
			if ok {
				found[run[i]] = &said[k]
			}
		}
		order = order[n:]
	}
	var out []Linked
	room := linkedBytes
	for i, s := range found {
		if s == nil {
			continue
		}
		if room -= len(s.Message.Content); room < 0 {
			break
		}
		out = append(out, Linked{Hit: hits[i], said: *s, factor: 1, from: -1})
	}
	return out, nil
}

// linkSpread holds one query's messages with their words.
type linkSpread struct {
	list   []Linked
	ids    map[string]int
	names  []string // of terms; of a file or a subject as shown to people
	count  []int    // messages that contain each term
	words  int      // number of terms; files and subjects follow them
	asked  map[int]bool
	length []float64 // of the message's vector
	// weights are the terms' weights by how many messages contain them.
	weights []float64
}

// note splits the messages into terms and counts them.
func (s *linkSpread) note(query string, terms func(string, func(string))) {
	s.ids, s.asked = map[string]int{}, map[int]bool{}
	terms(query, func(t string) { s.asked[s.id(t)] = true })
	var last []int // by term: the message that had it last, from 1
	for i := range s.list {
		m := &s.list[i]
		terms(clip(m.said.Message.Content, maxRead), func(t string) {
			n := s.id(t)
			for len(last) <= n {
				last = append(last, 0)
			}
			if last[n] != i+1 {
				last[n] = i + 1
				m.terms = append(m.terms, n)
				s.count[n]++
			}
		})
	}
	s.words = len(s.ids)
	s.length = make([]float64, len(s.list))
	for i, m := range s.list {
		sum := 0.0
		for _, t := range m.terms {
			sum += s.rarity(t) * s.rarity(t)
		}
		s.length[i] = math.Sqrt(sum)
	}
}

func (s *linkSpread) id(name string) int {
	n, known := s.ids[name]
	if !known {
		n = len(s.ids)
		s.ids[name] = n
		s.names, s.count = append(s.names, name), append(s.count, 0)
	}
	return n
}

// tie records what may link messages: rare words, files, and the subjects that an offline run
// found.
func (s *linkSpread) tie(ctx context.Context, src Sources) error {
	for i := range s.list {
		m := &s.list[i]
		for _, t := range m.terms {
			if !s.asked[t] && s.links(t) {
				m.ties = append(m.ties, t)
			}
		}
		for _, uri := range m.said.Message.URIs {
			s.hold(m, path.Base(uri))
		}
	}
	l, ok := src.(Linker)
	if !ok {
		return nil
	}
	var turns []string
	of := map[string][]int{} // messages by turn
	for i := range s.list {
		m := &s.list[i]
		id, err := src.Conversation(ctx, m.Conversation)
		if err != nil {
			return err
		}
		turn := id + "/" + dialogue.TurnID(m.said.Turn)
		if of[turn] == nil {
			turns = append(turns, turn)
		}
		of[turn] = append(of[turn], i)
	}
	subjects, err := l.Subjects(ctx, turns)
	if err != nil {
		return err
	}
	heaviest := map[int]float64{}
	for _, subject := range subjects {
		for _, turn := range subject.Turns {
			for _, i := range of[turns[turn]] {
				s.hold(&s.list[i], subject.Label)
				heaviest[i] = max(heaviest[i], subject.Factor)
			}
		}
	}
	for i, f := range heaviest {
		if f > 0 {
			s.list[i].factor = f
		}
	}
	return nil
}

// madeMark distinguishes the names of files and subjects from terms.
const madeMark = "\x00"

func (s *linkSpread) hold(m *Linked, name string) {
	n := s.id(madeMark + name)
	if !slices.Contains(m.ties, n) {
		m.ties = append(m.ties, n)
		s.count[n]++
	}
}

// rarity returns the weight of a term among the found messages.
func (s *linkSpread) rarity(term int) float64 {
	n := s.count[term]
	for len(s.weights) <= n {
		k := float64(len(s.weights))
		s.weights = append(s.weights, math.Log(1+(float64(len(s.list))-k+.5)/(k+.5)))
	}
	return s.weights[n]
}

// links reports whether a term links the messages that contain it.
func (s *linkSpread) links(term int) bool {
	n, share := s.count[term], rareShare
	if term >= s.words {
		share = madeShare
	}
	return n > 1 && 2*n <= len(s.list) && (n <= minRare || float64(n) <= share*float64(len(s.list)))
}

// sign computes the signs of all messages.
func (s *linkSpread) sign() {
	type session struct {
		conv   uint32
		number int
	}
	top, count := map[session]float64{}, map[session]float64{}
	voices := map[string]recall.Voice{}
	for i := range s.list {
		m := &s.list[i]
		m.Signs.Own = max(0, m.Score-m.Lent)
		at := session{m.Conversation, m.said.Session}
		top[at] = max(top[at], m.Signs.Own)
		if m.Signs.Own > strong {
			count[at]++
		}
		if m.Voice != recall.Nobody {
			voices[m.said.Message.Author] = m.Voice
		}
	}
	near := s.near()
	s.spread()
	for i := range s.list {
		m := &s.list[i]
		at := session{m.Conversation, m.said.Session}
		g := &m.Signs
		g.Score, g.Share, g.Session, g.SessionCount = m.Score, m.Share, top[at], count[at]/fewStrong
		switch voices[m.said.Message.Author] {
		case recall.Asked:
			g.Asked = 1
		case recall.Another:
			g.Another = 1
		}
		if m.First {
			g.First = 1
		}
		if strings.ContainsAny(m.said.Message.Content, "?？؟") {
			g.Asks = 1
		}
		for _, t := range m.terms {
			g.Rarity += s.rarity(t)
			if s.count[t] == 1 {
				g.New++
			}
		}
		g.Rarity /= usualRarity * float64(len(m.terms)+1)
		g.New = min(1, g.New/newWords)
		g.Length = math.Log1p(float64(len(m.terms)))
		g.Near = near[i]
	}
}

// seeds returns the indices of the best messages that contain words of the query.
func (s *linkSpread) seeds() []int {
	var out []int
	for i, m := range s.list {
		if m.Signs.Own > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(s.list[b].Score, s.list[a].Score) })
	return out[:min(seeds, len(out))]
}

// near returns each message's similarity to the best ones in words that the query does not have.
func (s *linkSpread) near() []float64 {
	weights := map[int]float64{}
	from := s.seeds()
	for _, h := range from {
		for _, t := range s.list[h].terms {
			if !s.asked[t] && s.count[t] > 1 {
				weights[t] += s.list[h].Signs.Own * s.rarity(t) * s.rarity(t) / s.length[h]
			}
		}
	}
	out := make([]float64, len(s.list))
	for i, m := range s.list {
		for _, t := range m.terms {
			w := weights[t]
			if w == 0 {
				continue
			}
			if slices.Contains(from, i) {
				w -= m.Signs.Own * s.rarity(t) * s.rarity(t) / s.length[i]
			}
			out[i] += w / s.length[i]
		}
	}
	return out
}

// spread lets the best messages lend score to those that share rare words, files or subjects with
// them, and these to others.
func (s *linkSpread) spread() {
	holders := map[int][]int{} // messages by tie
	for i, m := range s.list {
		for _, t := range m.ties {
			if s.links(t) {
				holders[t] = append(holders[t], i)
			}
		}
	}
	active := make([]float64, len(s.list))
	for _, h := range s.seeds() {
		active[h] = s.list[h].Signs.Own
	}
	decay := 1.0
	for range linkSteps {
		next := make([]float64, len(s.list))
		for h, a := range active {
			if a > 0 {
				s.lend(h, decay*a, holders, next)
			}
		}
		for i := range next {
			s.list[i].Signs.Link = max(s.list[i].Signs.Link, next[i])
		}
		active, decay = next, decay*stepDecay
	}
}

// lend lets one message lend its score to those that it is tied to; next holds the most that each
// has received.
func (s *linkSpread) lend(from int, has float64, holders map[int][]int, next []float64) {
	lent, by := make([]float64, len(s.list)), make([]int, len(s.list))
	for _, t := range s.list[from].ties {
		w := s.rarity(t) * s.rarity(t)
		for _, i := range holders[t] {
			if lent[i] == 0 || w > s.rarity(by[i])*s.rarity(by[i]) {
				by[i] = t
			}
			lent[i] += w
		}
	}
	for i, w := range lent {
		got := has * w / max(1, s.length[from]) / max(1, s.length[i])
		if w == 0 || i == from || got <= next[i] {
			continue
		}
		next[i] = got
		if m := &s.list[i]; got > m.Signs.Link {
			m.from, m.via = from, by[i]
		}
	}
}

// explain sets the reasons of the messages without a word of the query to what links them.
func (s *linkSpread) explain(terms func(string, func(string))) {
	for i := range s.list {
		m := &s.list[i]
		if m.Own > 0 || m.from < 0 {
			continue
		}
		name, made := strings.CutPrefix(s.names[m.via], madeMark)
		if !made {
			name = wordOf(m.said.Message.Content, name, terms)
		}
		m.why = fmt.Sprintf("linked with %s by %q", dialogue.TurnID(s.list[m.from].said.Turn), name)
	}
}

// wordOf returns the word of a text from which a term was made, as spelled there.
func wordOf(text, term string, terms func(string, func(string))) string {
	for word := range strings.FieldsFuncSeq(clip(text, maxRead), betweenWords) {
		found := false
		terms(word, func(t string) { found = found || t == term })
		if found {
			return word
		}
	}
	return term
}
