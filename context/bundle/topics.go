package bundle

import (
	"path"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
)

const (
	topicPlaces = 8   // of the best places, whose packages are introduced
	topicsMost  = 2   // packages introduced
	topicTokens = 120 // of one introduction
	// introducedLeast is how probably a place must help for its folder to be introduced.
	introducedLeast = .1
	topicLeast      = 60 // bytes; shorter comments say nothing of a package
)

// introductions are the files of a folder whose first comment or paragraph introduces it, by habit;
// one named like the folder comes with them.
var introductions = []string{"doc.go", "__init__.py", "mod.rs", "lib.rs", "package-info.java", "index.ts", "index.js", "README.md", "README.rst"}

// introduce makes the drafts of what the packages of the best places say of themselves, where that
// is not shown anyway.
func (b *build) introduce(list []found) (drafts []*draft) {
	seen := map[string]bool{}
	for _, f := range list[:min(topicPlaces, len(list))] {
		dir := path.Dir(f.chunk.Path)
		if seen[dir] || kindOf(f.chunk) != "code" || f.Score < introducedLeast && b.req.Fill != retrieve.Full {
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
			if drafts = append(drafts, &d); len(drafts) == topicsMost {
				break
			}
		}
	}
	return drafts
}

func (b *build) introduction(dir string, list []found) (draft, bool) {
	names := append([]string{path.Base(dir) + ".go"}, introductions...)
	for _, name := range names {
		if d, ok := b.introducedBy(path.Join(dir, name), list); ok {
			return d, true
		}
	}
	return draft{}, false
}

// introducedBy makes the draft of what a file says of its folder; ok is false where it says
// nothing, or where the list shows that.
func (b *build) introducedBy(p string, list []found) (draft, bool) {
	file, ok := b.src.Snapshot.File(p)
	if !ok || b.req.Keep != nil && !b.req.Keep(p, b.src.Snapshot.Language(file)) {
		return draft{}, false
	}
	start, end := b.src.Snapshot.FileDoc(file)
	text, gate := b.reader.File(file)
	if end-start < topicLeast || gate != "" || end > len(text) || overlaps(list, p, start, end) {
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

// overlaps reports whether a found place shows some of the bytes already.
func overlaps(list []found, p string, start, end int) bool {
	for _, f := range list {
		if f.chunk.Path == p && start < f.chunk.End && f.chunk.Start < end {
			return true
		}
	}
	return false
}

// folderName is a folder in a reason.
func folderName(dir string) string {
	if dir == "." {
		return "the workspace"
	}
	return dir
}
