package subject

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Class is the kind of a subject, where its name shows it with certainty.
type Class string

// The classes. A name is a proper name of anything else; code and other words have none.
const (
	Person Class = "person" // a mail address
	Ticket Class = "ticket"
	Host   Class = "host" // of a link
	Proper Class = "name"
)

// The kinds of subjects: what conversations are about, and what they mention by name.
const (
	TopicKind  = "topic"
	EntityKind = "entity"
)

// Trend compares how often a subject came up recently with the time before.
type Trend string

// The trends of the contract.
const (
	Rising  Trend = "rising"
	Steady  Trend = "steady"
	Falling Trend = "falling"
)

// Subject is what people call by a name, with the turns in which they do.
type Subject struct {
	ID    string
	Class Class    // "" when its name shows none
	Label string   // its most frequent spelling, or a person's wish
	Names []string // its other spellings and names, the most frequent first
	Keys  []string // the folded forms of all its names
	// Weight among the subjects of its list, from 0 to 1.
	Weight      float64
	Trend       Trend
	First, Last time.Time
	Turns       []string // sources, oldest first, the latest [MostTurns]
	Count       int      // of all its turns
	Weeks       []int    // turns in each of the last [Weeks] weeks up to that of [Set.Latest], the oldest first
	Merged      []string // the ids of the subjects that a person merged into it
	Pinned      bool     // a person wants it always listed
	Renamed     bool     // its label is a person's
	at          []place  // those of Turns
}

// place is the position of a turn.
type place = turnKey

// Set holds the subjects, pinned ones first, then by weight. What is often talked about and has a
// proper name is in both lists, with an id for each.
type Set struct {
	Topics, Entities []Subject
	Latest           time.Time // of the uses
}

// Bounds of a set.
const (
	MostTurns    = 200 // sources of a subject
	MostTopics   = 100
	MostEntities = 300
	mostNames    = 8
)

// The turns from which a name is a subject: of what conversations are about, and of what they
// mention. A ticket or a mail address is one whenever it is named.
const minTopicTurns, minEntityTurns = 3, 2

// subjectHalfLife is the age at which a turn's contribution to a weight halves; trendSpan is
// compared with the span before it.
const subjectHalfLife, trendSpan = 30 * 24 * time.Hour, 7 * 24 * time.Hour

// ID returns the id of a subject of a kind by the folded form of its name.
func ID(kind, key string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + key))
	return kind + "-" + hex.EncodeToString(sum[:6])
}

// NameKey returns a hash of a name, so that what a person removed can be recognised without storing
// it.
func NameKey(name string) string {
	sum := sha256.Sum256([]byte(Fold(name)))
	return hex.EncodeToString(sum[:10])
}

// Group makes the set of all uses of names by their keys, each list in the order of [Uses], and
// applies a person's wishes.
func Group(uses map[string][]Use, wishes []Steering) Set {
	var out Set
	for _, list := range uses {
		for i := range list {
			if list[i].At.After(out.Latest) {
				out.Latest = list[i].At
			}
		}
	}
	for _, g := range steered(uses, wishes) {
		s := g.subject(out.Latest)
		if s.isTopic() {
			out.Topics = append(out.Topics, s.as(TopicKind, g.key))
		}
		if s.isEntity() {
			out.Entities = append(out.Entities, s.as(EntityKind, g.key))
		}
	}
	out.Topics, out.Entities = ordered(out.Topics, MostTopics), ordered(out.Entities, MostEntities)
	return out
}

// Kind returns the kind of its list, or of an entity its class.
func (s *Subject) Kind() string {
	if strings.HasPrefix(s.ID, TopicKind+"-") {
		return TopicKind
	}
	return string(s.Class)
}

// isTopic reports whether conversations are about it: people name it in several turns, and it is
// neither a person nor a ticket nor a host.
func (s *Subject) isTopic() bool {
	return (s.Class == "" || s.Class == Proper) && (s.Count >= minTopicTurns || s.Pinned)
}

// isEntity reports whether it has a proper name or a class of its own.
func (s *Subject) isEntity() bool {
	return s.Class == Ticket || s.Class == Person || s.Class != "" && (s.Count >= minEntityTurns || s.Pinned)
}

// as returns the subject with its id in the list of a kind.
func (s Subject) as(kind, key string) Subject {
	s.ID = ID(kind, key)
	s.Merged = slices.Clone(s.Merged)
	for i, k := range s.Merged {
		s.Merged[i] = ID(kind, k)
	}
	return s
}

// ordered sorts subjects, bounds their number and scales their weights so that the largest is 1.
func ordered(list []Subject, most int) []Subject {
	slices.SortFunc(list, func(a, b Subject) int {
		return cmp.Or(compareBools(b.Pinned, a.Pinned), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Label, b.Label))
	})
	list = list[:min(len(list), most)]
	largest := 0.0
	for i := range list {
		largest = max(largest, list[i].Weight)
	}
	for i := range list {
		if largest > 0 {
			list[i].Weight = math.Round(list[i].Weight/largest*1e4) / 1e4
		}
	}
	return list
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// group holds the uses of one subject under construction.
type group struct {
	key             string
	keys            []string // including those of merged names
	uses            []Use
	label           string // a person's, or ""
	pinned, renamed bool
	merged          []string // keys
}

// subject counts and dates the uses.
func (g *group) subject(latest time.Time) Subject {
	s := Subject{Keys: g.keys, Pinned: g.pinned, Renamed: g.renamed, Merged: g.merged, Weeks: make([]int, Weeks)}
	slices.SortStableFunc(g.uses, func(a, b Use) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Turn, b.Turn))
	})
	spelled := map[string]int{}
	seen := map[place]bool{}
	recent, before := 0, 0
	for i := range g.uses {
		u := &g.uses[i]
		spelled[strings.TrimPrefix(u.Name, hostMark)]++
		if class := classOf(u.Name); s.Class == "" || s.Class == Proper && class != "" {
			s.Class = class
		}
		at := place{u.Conversation, u.Turn}
		if seen[at] {
			continue
		}
		seen[at] = true
		s.Count++
		s.Turns, s.at = append(s.Turns, u.Source), append(s.at, at)
		age := max(0, latest.Sub(u.At))
		s.Weight += math.Exp2(-age.Hours() / subjectHalfLife.Hours())
		switch {
		case age < trendSpan:
			recent++
		case age < 2*trendSpan:
			before++
		}
		if week := weekNumber(latest) - weekNumber(u.At); week >= 0 && week < Weeks {
			s.Weeks[Weeks-1-week]++
		}
	}
	s.Trend = trendOf(recent, before)
	s.First, s.Last = g.uses[0].At, g.uses[len(g.uses)-1].At
	s.Turns, s.at = s.Turns[max(0, len(s.Turns)-MostTurns):], s.at[max(0, len(s.at)-MostTurns):]
	names := make([]string, 0, len(spelled))
	for n := range spelled {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(spelled[b], spelled[a]), cmp.Compare(a, b)) })
	s.Label = cmp.Or(g.label, names[0])
	s.Names = slices.DeleteFunc(names, func(n string) bool { return n == s.Label })
	s.Names = s.Names[:min(len(s.Names), mostNames)]
	return s
}

func trendOf(recent, before int) Trend {
	switch {
	case 2*recent > 3*before:
		return Rising
	case 3*recent < 2*before || recent == 0:
		return Falling
	}
	return Steady
}

// classOf returns the class that a spelling shows.
func classOf(name string) Class {
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case ticketName.MatchString(name):
		return Ticket
	case mailName.MatchString(name):
		return Person
	case strings.HasPrefix(name, hostMark):
		return Host
	case unicode.IsUpper(first) && !strings.ContainsAny(name, "_.$") && !isCompound(name):
		return Proper
	}
	return ""
}

// Subject returns the topic or the entity with an id, nil when there is none. It belongs to the
// set.
func (s *Set) Subject(id string) *Subject {
	for _, list := range [...][]Subject{s.Topics, s.Entities} {
		if i := slices.IndexFunc(list, func(s Subject) bool { return s.ID == id }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}
