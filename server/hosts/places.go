package hosts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/server/command"
)

const (
	// longestName is the number of bytes of what is said to be at a place.
	longestName = 44
)

// paysAt are the probabilities that places spare a search from which a hook names them, by the
// level of the workspace's trial. At the first, the tokens of the searches spared, less those
// given, are about as many a prompt as at any lower floor, five of six prompts about nothing are
// left alone, and of all prompts four fifths are at no loss; at the second, half of those tokens
// are spared, and nineteen of twenty prompts are at no loss: see the curve in
// context/retrieve/pays.json. Above, nothing is named.
var paysAt = [receipt.MostLevel]float64{.25, .5}

// Place is a place in a file of the workspace.
type Place struct {
	ID    string // of its item
	Path  string // relative to the root, with slashes
	Line  int    // counted from 1
	Name  string // what is there
	Score float64
}

// Places returns the places of code and documents that a bundle contains or left out, the most
// probable first; none if their names probably do not pay, by the level of a trial. path returns
// the path of a URI relative to the root, "" for one that is outside.
func Places(b *command.BundleResult, level int, path func(uri string) string) (out []Place) {
	if level >= len(paysAt) || b.Pays < paysAt[level] {
		return nil
	}
	add := func(id, kind, uri, title string, at *command.Range, score float64) {
		if at == nil || !isPlace(kind) {
			return
		}
		if rel := path(uri); rel != "" {
			out = append(out, Place{id, rel, at.Start.Line + 1, title, score})
		}
	}
	for _, it := range b.Items {
		at := it.Range
		if it.Anchor != nil {
			at = &command.Range{Start: command.Position{Line: *it.Anchor}}
		}
		add(it.ID, it.Kind, it.URI, it.Title, at, it.Score)
	}
	for _, d := range b.Dropped {
		switch item.DropReason(d.Reason) {
		case item.OverBudget, item.BelowThreshold:
		default:
			continue // it repeats another place, or may not be shown
		}
		add(d.ID, d.Kind, d.URI, d.Title, d.Range, d.Score)
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// isPlace reports whether items of a kind are parts of the workspace's files.
func isPlace(kind string) bool { return kind == string(item.Code) || kind == string(item.Doc) }

// named returns the lines that name the best of some places, the best first, one for each file, and
// their ids, but not those that were given before.
func named(places []Place, given func(id string) bool) (b block) {
	if len(places) == 0 {
		return block{}
	}
	b.score = places[0].Score
	var out strings.Builder
	seen := map[string]bool{}
	for _, p := range places {
		if p.Score < retrieve.NamedLeast || len(seen) == retrieve.NamedMost {
			break
		}
		if seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		if given(p.ID) {
			continue
		}
		out.WriteString(p.Path + ":" + strconv.Itoa(p.Line))
		if name := shortName(p.Name); name != "" {
			out.WriteString("  " + name)
		}
		out.WriteByte('\n')
		b.ids = append(b.ids, p.ID)
	}
	b.text = out.String()
	return b
}

// shortName returns the first of a title's names, without the number of the piece.
func shortName(title string) string {
	name, _, _ := strings.Cut(title, ", ")
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") && strings.Contains(name[i:], "/") {
		name = name[:i]
	}
	if len(name) > longestName {
		return ""
	}
	return name
}
