package bundle

import (
	"path"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
)

const (
	topicPlaces = 8   // how many of the best places have their packages introduced
	maxTopics   = 2   // packages introduced
	topicTokens = 120 // per introduction
	// minIntroducedChance is the smallest probability of helping at which a place's folder is
	// introduced.
	minIntroducedChance = .1
	minTopicBytes       = 60 // bytes; shorter comments say nothing about a package
)

// introductions are the files of a folder whose first comment or paragraph conventionally
// introduces it; a file named like the folder counts as well.
var introductions = []string{"doc.go", "__init__.py", "mod.rs", "lib.rs", "package-info.java", "index.ts", "index.js", "README.md", "README.rst"}

// introduce makes the drafts of the introductions of the best places' packages, unless they are
// shown anyway.
func (b *build) introduce(list []foundPlace) (drafts []*draft) {
	seen := map[string]bool{}
	for _, f := range list[:min(topicPlaces, len(list))] {
		dir := path.Dir(f.chunk.Path)
		if seen[dir] || kindOf(f.chunk) != "code" || f.Score < minIntroducedChance && b.req.Fill != retrieve.Full {
			continue
		}
		seen[dir] = true
		if d, ok := b.introduction(dir, list); ok {
			if b.omitted[d.item.ID] {
				b.exclude(&d)
			}
			if b.omitted[d.item.ID] || b.included[d.item.ID] {
				continue
			}
			d.score = boosted(f.Score, b.boosts([]string{d.item.ID})[d.item.ID]) // it helps to read that place
			d.item.Score = d.score
			if drafts = append(drafts, &d); len(drafts) == maxTopics {
				break
			}
		}
	}
	return drafts
}

func (b *build) introduction(dir string, list []foundPlace) (draft, bool) {
	names := append([]string{path.Base(dir) + ".go"}, introductions...)
	for _, name := range names {
		if d, ok := b.introducedBy(path.Join(dir, name), list); ok {
			return d, true
		}
	}
	return draft{}, false
}

// introducedBy makes the draft of a file's introduction of its folder; ok is false when it has
// none, or when the list shows it.
func (b *build) introducedBy(p string, list []foundPlace) (draft, bool) {
	file, ok := b.src.Snapshot.File(p)
	if !ok || b.req.Keep != nil && !b.req.Keep(p, b.src.Snapshot.Language(file)) {
		return draft{}, false
	}
	start, end := b.src.Snapshot.FileDoc(file)
	text, gate := b.reader.File(file)
	if end-start < minTopicBytes || gate != "" || end > len(text) || overlaps(list, p, start, end) {
		return draft{}, false
	}
	doc := string(text[start:end])
	if strings.Contains(doc, "Copyright") || strings.Contains(doc, "Licensed under") {
		return draft{}, false
	}
	return b.topicDraft(p, path.Dir(p), doc, strings.Count(string(text[:start]), "\n")), true
}

func (b *build) topicDraft(p, dir, doc string, line int) draft {
	short := fitLines(doc, topicTokens, b.src.Count)
	format := "full"
	if len(short) < len(strings.TrimSpace(doc)) {
		format = "summary"
	}
	end := line + strings.Count(short, "\n")
	r := render.Item{Kind: item.Topic, Layer: item.L2Topic, Body: short, Attrs: []render.Attr{
		{Name: "path", Value: p}, {Name: "lines", Value: lines(line, end)},
	}}
	f := b.form(r, format, 1)
	f.start, f.end = line, end
	return draft{
		layer: item.L2Topic, forms: []form{f},
		item: item.Item{ID: "topic:" + p, Kind: item.Topic, Title: dir, Reason: "introduces " + folderName(dir) + ", where the best matches are",
			Path: p, StartLine: line, EndLine: end, LastLine: lastLine(short)},
	}
}

// overlaps reports whether a found place already shows some of the bytes.
func overlaps(list []foundPlace, p string, start, end int) bool {
	for _, f := range list {
		if f.chunk.Path == p && start < f.chunk.End && f.chunk.Start < end {
			return true
		}
	}
	return false
}

// folderName returns the name of a folder as a reason shows it.
func folderName(dir string) string {
	if dir == "." {
		return "the workspace"
	}
	return dir
}

// fitLines returns the longest prefix of whole lines within max tokens that does not end with a
// blank line.
func fitLines(section string, max int, count func(string) int) string {
	all := strings.Split(strings.TrimSpace(section), "\n")
	lo, hi := 0, len(all)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if count(strings.Join(all[:mid], "\n")) <= max {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimSpace(strings.Join(all[:lo], "\n"))
}
