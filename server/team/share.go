package team

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/team/fact"
)

// Names of what the setting team.share admits.
const (
	shareRules     = "rule:project"
	shareLessons   = "lesson"
	shareDecisions = "decision"
	shareReference = "reference"
)

// admitted reports whether an item is shared: the person marked it, or the policy lists its kind.
// The policy admits only what the person stored or accepted, never what memory found by itself, and
// of the rules only those about the project; marks holds what the person said of single items.
func admitted(it *knowledge.Item, policy []string, marks map[string]bool) bool {
	if it.Team != nil || !it.Holds() { // what teammates wrote is theirs
		return false
	}
	if share, marked := marks[it.ID]; marked {
		return share
	}
	if it.Standing() != knowledge.Confirmed || it.Learned && it.Confirmation != knowledge.AcceptedBy {
		return false
	}
	switch it.Kind {
	case knowledge.Rule:
		return slices.Contains(policy, shareRules) && aboutProject(it)
	case knowledge.Lesson:
		return slices.Contains(policy, shareLessons)
	}
	switch it.Label {
	case knowledge.Decision:
		return slices.Contains(policy, shareDecisions)
	case knowledge.Note: // may be about anything: only by a mark
		return false
	}
	return slices.Contains(policy, shareReference)
}

// aboutProject reports whether a rule names something of a project: a file, a command or a symbol.
// A rule that names none may be a personal preference, which is never shared unless the person
// marks it.
func aboutProject(it *knowledge.Item) bool {
	if it.Scope != "" {
		return true
	}
	return strings.Contains(it.Content, "`") || slices.ContainsFunc(strings.Fields(it.Content), isCode)
}

// isCode reports whether a word is written as only code is: with a path, a call, an option, an
// underscore, a dot inside, or a capital inside.
func isCode(word string) bool {
	if strings.Contains(word, "()") {
		return true
	}
	word = strings.Trim(word, `"'“”‘’,;:!?()[]{}`+".")
	if strings.HasPrefix(word, "--") && len(word) > 2 {
		return true
	}
	inner := []rune(word)
	if len(inner) < 3 {
		return false
	}
	for i, r := range inner[:len(inner)-1] {
		next := inner[i+1]
		switch {
		case r == '_' || r == '/' && i > 0 && unicode.IsLetter(next) && strings.Count(word, "/") > 1:
			return true
		case r == '.' && i > 0 && unicode.IsLetter(next) && unicode.IsLetter(inner[i-1]) && i > 1:
			return true
		case unicode.IsUpper(next) && unicode.IsLower(r):
			return true
		}
	}
	return false
}

// factOf returns an item as a fact of a repository.
func factOf(repository string, it *knowledge.Item) fact.Fact {
	f := fact.Fact{
		Repository: repository, At: it.UpdatedAt, Title: it.Title, Content: it.Content, Topics: it.Topics, Keywords: it.Keywords, Scope: it.Scope,
		Note: it.Label == knowledge.Note,
	}
	switch {
	case it.Kind == knowledge.Rule:
		f.Kind = fact.Rule
	case it.Kind == knowledge.Lesson:
		f.Kind = fact.Lesson
	case it.Label == knowledge.Decision:
		f.Kind = fact.Decision
	default:
		f.Kind = fact.Reference
	}
	for _, q := range it.Quotations {
		if q.Path == "" { // the others have the files
			f.Quotations = append(f.Quotations, fact.Quotation{Text: q.Text, At: q.At, Author: q.Author})
		}
	}
	return f
}

// textOf returns a hash of what a fact says, without what changes with each signature.
func textOf(f fact.Fact) string {
	f.At, f.Supersedes = time.Time{}, nil
	text, _ := json.Marshal(f) // it has no values that JSON lacks
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// itemOf returns a fact as an item of memory.
func itemOf(h *fact.Head, by author, now time.Time) knowledge.Item {
	it := knowledge.Item{
		ID: knowledge.SharedID(h.ID), Kind: knowledge.Kind(h.Kind), Title: h.Title, Content: h.Content, Topics: h.Topics, Keywords: h.Keywords,
		Scope: h.Scope, CreatedAt: h.At,
		Team: &knowledge.Provenance{Fact: h.ID, Earlier: h.Earlier, Key: h.Author, Name: by.name, Proven: by.proven, Own: by.own, Rivals: h.Rivals},
	}
	if h.At.After(now) { // a clock that is ahead
		it.CreatedAt = now
	}
	switch h.Kind {
	case fact.Decision:
		it.Kind, it.Label = knowledge.Reference, knowledge.Decision
	case fact.Reference:
		if h.Note {
			it.Label = knowledge.Note
		}
	}
	for _, q := range h.Quotations {
		it.Quotations = append(it.Quotations, knowledge.Quotation{Text: q.Text, At: q.At, Author: q.Author})
	}
	return it
}

// textsOf returns the texts of a fact in which a secret could be.
func textsOf(f *fact.Fact) []string {
	out := append([]string{f.Title, f.Content, f.Scope}, f.Topics...)
	out = append(out, f.Keywords...)
	for _, q := range f.Quotations {
		out = append(out, q.Text, q.Author)
	}
	return out
}
