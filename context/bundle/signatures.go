package bundle

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

const (
	// minSignedChance is the smallest probability of helping at which signatures are shown beside a
	// place, and maxSigned bounds the number of such places.
	minSignedChance, maxSigned = .4, 2
	// maxSiblings and maxCalledSignatures bound the signatures of each kind that one place brings,
	// and signatureTokens their tokens.
	maxSiblings, maxCalledSignatures, signatureTokens = 6, 5, 140
	// signatureShare is the probability that a signature helps, relative to that of its place.
	signatureShare = .25

	signaturesPrefix = "signatures:"
	// signatureLines and signatureRunes bound one signature.
	signatureLines, signatureRunes = 6, 140
	// maxMeanings is how many definitions a name may have and still identify the called one.
	maxMeanings = 3
)

// Signed returns the id of the place that an item of signatures belongs to; ok is false for another
// item.
func Signed(id string) (place string, ok bool) { return strings.CutPrefix(id, signaturesPrefix) }

// sign makes the drafts of the signatures of what is beside the best places and of what they call,
// as far as the workspace defines it and the plan does not show it. It does so only where the
// bundle ends before its budget does.
func (b *build) sign(plan filledPlan) (made []*draft) {
	if b.req.Fill == retrieve.Full || b.src.Snapshot == nil || b.reader == nil {
		return nil
	}
	room := b.req.Budget - plan.Tokens
	var best []*draft
	for _, d := range b.places {
		if form, in := plan.shows(d); in && form == 0 && d.item.Kind != item.Doc && d.forms[0].format == "full" && d.item.Score >= minSignedChance {
			best = append(best, d)
		}
	}
	slices.SortStableFunc(best, func(x, y *draft) int { return cmp.Compare(y.item.Score, x.item.Score) })
	shown := b.shownLines(plan)
	files := map[string]bool{}
	for _, at := range best {
		if files[at.item.Path] || len(made) == maxSigned {
			continue
		}
		files[at.item.Path] = true
		d, ok := b.signaturesBeside(at, shown)
		if ok && b.omitted[d.item.ID] {
			b.exclude(&d)
			continue
		}
		if ok && d.forms[0].tokens <= room {
			room -= d.forms[0].tokens
			made = append(made, &d)
		}
	}
	return made
}

// lineRange is a range of a file's lines, from 0, inclusive.
type lineRange struct{ start, end int }

// shownLines returns the lines of each file that a plan shows.
func (b *build) shownLines(plan filledPlan) map[string][]lineRange {
	out := map[string][]lineRange{}
	add := func(d *draft, f form) {
		if d.item.Path != "" {
			out[d.item.Path] = append(out[d.item.Path], lineRange{f.start, f.end})
		}
	}
	for i := range b.taken {
		add(&b.taken[i], b.taken[i].forms[0])
	}
	for d, f := range plan.shown() {
		add(d, f)
	}
	return out
}

// signaturesBeside makes the draft of the signatures beside a place; ok is false when there are
// none.
func (b *build) signaturesBeside(at *draft, shown map[string][]lineRange) (d draft, ok bool) {
	file := at.place.chunk.File
	isShown := func(s indexer.Symbol) bool {
		return slices.ContainsFunc(shown[s.Path], func(r lineRange) bool { return r.start <= s.Line && s.Line <= r.end })
	}
	owner, method, isOwned := b.owner(at)
	var parts []string // the kinds of signatures it has, for people
	var members, around []signed
	if isOwned {
		if members = b.outline(owner, at.place.text, isShown); len(members) > 0 {
			parts = append(parts, "the type of the match")
		}
	}
	siblings := b.withSignatures(b.siblings(at, isShown))
	if len(siblings) > 0 {
		parts = append(parts, "its siblings")
	}
	if isOwned {
		if around = b.declared(owner, method, isShown); len(around) > 0 {
			parts = append(parts, "what it implements or overrides")
		}
	}
	called := b.withSignatures(b.called(at, func(s indexer.Symbol) bool {
		return isShown(s) || slices.ContainsFunc(slices.Concat(siblings, around), func(o signed) bool { return o.File == s.File && o.Line == s.Line })
	}))
	if len(called) > 0 {
		parts = append(parts, "what it calls")
	}
	var list []string
	first, last := -1, -1
	r := render.Item{Kind: item.Code, Layer: item.L5JIT, Attrs: []render.Attr{{Name: "path", Value: at.item.Path}, {Name: "in", Value: "signatures only"}}}
	add := func(lines []signed, most int) {
		for _, s := range lines {
			text := placed(s, file)
			if most -= b.src.Count(text + "\n"); most < 0 {
				return
			}
			if s.File == file && (first < 0 || s.Line < first) {
				first, last = s.Line, s.Line
			}
			list = append(list, text)
		}
	}
	add(members, outlineTokens)
	add(around, outlineTokens)
	add(slices.Concat(siblings, called), signatureTokens)
	if len(list) == 0 {
		return draft{}, false
	}
	r.Body = strings.Join(list, "\n")
	f := b.form(r, "summary", 1)
	f.start, f.end = max(first, 0), max(last, 0)
	score := at.item.Score * signatureShare
	return draft{
		layer: item.L5JIT, group: at.item.Path, required: true, score: score, forms: []form{f},
		item: item.Item{
			ID: signaturesPrefix + at.item.ID, Kind: item.Code, Title: "Signatures beside " + short(at.item.Title), Score: score, Path: at.item.Path,
			Reason: strings.Join(parts, ", "), StartLine: f.start, EndLine: f.end,
		},
	}, true
}

// withSignatures returns the definitions that can be read, with their signatures.
func (b *build) withSignatures(list []indexer.Symbol) (out []signed) {
	for _, s := range list {
		if text := b.signature(s); text != "" {
			out = append(out, signed{s, text})
		}
	}
	return out
}

// short returns the first of the names in a title.
func short(title string) string {
	name, _, _ := strings.Cut(title, ", ")
	return name
}

// siblings returns the definitions nearest to a place in the same type, or at the top level, in the
// order of their lines.
func (b *build) siblings(at *draft, shown func(indexer.Symbol) bool) []indexer.Symbol {
	own, ok := b.callableAt(at)
	if !ok {
		return nil
	}
	all := b.src.Snapshot.FileSymbols(at.place.chunk.File)
	start, end, container := at.forms[0].start, at.forms[0].end, own.Container
	far := func(s indexer.Symbol) int { return max(start-s.Line, s.Line-end) }
	all = slices.DeleteFunc(all, func(s indexer.Symbol) bool {
		return !retrieve.IsCallable(s) || s.Container != container || s == own || shown(s)
	})
	slices.SortStableFunc(all, func(x, y indexer.Symbol) int { return cmp.Compare(far(x), far(y)) })
	all = all[:min(maxSiblings, len(all))]
	slices.SortFunc(all, func(x, y indexer.Symbol) int { return cmp.Compare(x.Line, y.Line) })
	return all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// called returns the definitions in the workspace that a place calls first, those in its own file
// before others. It skips a name with several possible meanings.
func (b *build) called(at *draft, shown func(indexer.Symbol) bool) []indexer.Symbol {
	code, _ := parted([]byte(at.place.text))
	file, language := at.place.chunk.File, at.place.chunk.Language
	var out []indexer.Symbol
	seen := map[string]bool{}
	calls(code, func(owner, name string) bool {
		if seen[name] || slices.Contains(at.place.chunk.Symbols, name) {
			return true
		}
		seen[name] = true
		defined := slices.DeleteFunc(b.src.Snapshot.Definitions(name, 4*maxMeanings), func(s indexer.Symbol) bool {
			return owner != "" && !ownedBy(s, owner) || b.src.Snapshot.Language(s.File) != language || b.req.Keep != nil && !b.req.Keep(s.Path, language) ||
				retrieve.IsTest(s.Path) && !retrieve.IsTest(at.item.Path)
		})
		for _, near := range []func(indexer.Symbol) bool{
			func(s indexer.Symbol) bool { return s.File == file },
			func(s indexer.Symbol) bool { return path.Dir(s.Path) == path.Dir(at.item.Path) },
			func(indexer.Symbol) bool { return len(defined) <= maxMeanings },
		} {
			meant := slices.DeleteFunc(slices.Clone(defined), func(s indexer.Symbol) bool { return !near(s) })
			if len(meant) == 0 {
				continue
			}
			if len(meant) == 1 && retrieve.IsCallable(meant[0]) && !shown(meant[0]) {
				out = append(out, meant[0])
			}
			break
		}
		return len(out) < maxCalledSignatures
	})
	slices.SortStableFunc(out, func(x, y indexer.Symbol) int { // those in the place's own file first, each file's together
		return cmp.Or(cmp.Compare(btoi(x.File != file), btoi(y.File != file)), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line))
	})
	return out
}

// ownedBy reports whether "owner.name" may mean a symbol: one of a type, since the owner may be a
// variable, or one in a file or folder named like the owner.
func ownedBy(s indexer.Symbol, owner string) bool {
	base := path.Base(s.Path)
	return s.Container != "" || owner == strings.TrimSuffix(base, path.Ext(base)) || owner == path.Base(path.Dir(s.Path))
}

// calls yields the names before an opening parenthesis, each with the name before its dot, arrow or
// colons.
func calls(code []byte, yield func(owner, name string) bool) {
	for {
		open := bytes.IndexByte(code, '(')
		if open < 0 {
			return
		}
		name := lastWord(code[:open])
		before := code[:open-len(name)]
		owner := lastWord(bytes.TrimRight(before, ".:->?!"))
		if len(bytes.TrimRight(before, ".:->?!")) == len(before) {
			owner = nil
		}
		if len(name) > 0 && !yield(string(owner), string(name)) {
			return
		}
		code = code[open+1:]
	}
}

// lastWord returns the word at the end of a text.
func lastWord(text []byte) []byte {
	start := len(text)
	for start > 0 {
		r, n := utf8.DecodeLastRune(text[:start])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		start -= n
	}
	return text[start:]
}

// signature returns the first lines of a definition up to where its parentheses close, as one line;
// "" when the file cannot be read.
func (b *build) signature(s indexer.Symbol) string {
	lines := b.linesOf(s.File)
	var out []string
	open := 0
	for i, line := range lines[min(s.Line, len(lines)):] {
		words := strings.Join(strings.Fields(string(line)), " ")
		if len(out) == 0 && (words == "" || words[0] == '@' || strings.HasPrefix(words, "#[")) && i < signatureLines {
			continue // decorators and attributes
		}
		out = append(out, words)
		open += strings.Count(words, "(") - strings.Count(words, ")")
		if open <= 0 || len(out) == signatureLines {
			break
		}
	}
	return clipped(strings.TrimRight(strings.TrimSuffix(strings.Join(out, " "), "{"), " "))
}

// unlessWorse returns the plan with signatures when it shows everything else as before, and
// otherwise the plan without them.
func (b *build) unlessWorse(plan, signed filledPlan) filledPlan {
	for d, c := range plan.choices() {
		if form, _ := signed.shows(d); form != c.Form {
			b.signatures = nil
			return plan
		}
	}
	return signed
}
