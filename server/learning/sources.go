package learning

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
)

// Bounds of the sections that a reference may quote, and of those that are examined for them.
const (
	mostSections = 6
	mostRead     = 40
)

// Material is what the files of a root contribute to a run; the zero value without an index. Its
// functions must not be called after the release of the snapshot, and not concurrently.
type Material struct {
	Documents memory.Documents
	Gone      func(path string) bool
}

// MaterialIn returns the material in a snapshot.
func MaterialIn(s *indexer.Snapshot) Material {
	reader := s.NewReader()
	return Material{
		Documents: func(ctx context.Context, topic string) ([]knowledge.Section, error) {
			return materialOn(ctx, s, reader, topic)
		},
		Gone: newKnownFiles(s).gone,
	}
}

// materialOn returns what the files of a workspace contain about a topic: definitions of that name
// and sections of documents.
func materialOn(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, topic string) ([]knowledge.Section, error) {
	code, err := definitionsOf(ctx, s, reader, topic)
	if err != nil {
		return nil, err
	}
	return append(sectionsOn(s, reader, topic), code...), ctx.Err()
}

// foundSection is a part of a document with all terms of a topic.
type foundSection struct {
	knowledge.Section
	titled bool // its heading names the topic
	times  int
}

// sectionsOn returns the sections of Markdown and reStructuredText with all terms of a topic: those
// with it in their heading first, then those that name it most often. It skips hidden folders,
// whose files are written for or by programs.
func sectionsOn(s *indexer.Snapshot, reader *indexer.Reader, topic string) []knowledge.Section {
	var words []string
	engine.Terms(topic, func(t string) { words = append(words, t) })
	titled, others := []int{}, []int{}
	for _, id := range s.Words().Having(words) {
		chunk := s.Chunk(id)
		if language := s.Language(chunk.File); language != "markdown" && language != "rst" || isHidden(chunk.Path) {
			continue
		}
		if strings.Contains(strings.ToLower(chunk.Title), topic) {
			titled = append(titled, id)
		} else {
			others = append(others, id)
		}
	}
	var list []foundSection
	for _, id := range append(titled, others...) {
		if len(list) == mostRead {
			break
		}
		chunk, text, gate := reader.Chunk(id)
		if gate != "" {
			continue
		}
		list = append(list, foundSection{
			Section: knowledge.Section{Path: chunk.Path, Line: chunk.StartLine + 1, Text: string(text)},
			titled:  strings.Contains(strings.ToLower(chunk.Title), topic), times: strings.Count(strings.ToLower(string(text)), topic),
		})
	}
	slices.SortStableFunc(list, func(a, b foundSection) int {
		switch {
		case a.titled != b.titled && a.titled:
			return -1
		case a.titled != b.titled:
			return 1
		}
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	var out []knowledge.Section
	for _, one := range list[:min(mostSections, len(list))] {
		out = append(out, one.Section)
	}
	return out
}

// isHidden reports whether a path leads through a hidden folder.
func isHidden(path string) bool { return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") }

// Bounds of the definitions that a reference quotes.
const (
	mostDefinitions  = 2
	definitionLines  = 14 // of one, with its comment
	commentLines     = 8
	leastTopicSymbol = 3 // bytes of a topic that may be a symbol's name
)

// definitionsOf returns the definitions named like a topic in any case, those of types before
// others and the longest first: of each the comment above it and its first lines.
func definitionsOf(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, topic string) ([]knowledge.Section, error) {
	if len(topic) < leastTopicSymbol || strings.ContainsAny(topic, " ./") {
		return nil, nil
	}
	var found []indexer.Symbol
	err := s.Symbols().Containing(ctx, topic, func(y indexer.Symbol) bool {
		if strings.EqualFold(y.Name, topic) && (isType(y.Kind) || y.Kind == "function") {
			found = append(found, y)
		}
		return true
	})
	slices.SortStableFunc(found, func(a, b indexer.Symbol) int {
		switch x, y := isType(a.Kind), isType(b.Kind); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return cmp.Or(cmp.Compare(min(b.EndLine-b.Line, definitionLines), min(a.EndLine-a.Line, definitionLines)), strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	var out []knowledge.Section
	for _, y := range found {
		if len(out) == mostDefinitions {
			break
		}
		if text, gate := reader.File(y.File); gate == "" {
			if one, ok := definition(y, string(text)); ok {
				out = append(out, one)
			}
		}
	}
	return out, err
}

// isType reports whether a kind of symbol is one of types.
func isType(kind string) bool {
	return slices.Contains([]string{"class", "struct", "interface", "type", "enum", "trait", "table", "message", "service"}, kind)
}

// definition cuts a symbol with its comment out of its file.
func definition(y indexer.Symbol, text string) (knowledge.Section, bool) {
	lines := strings.Split(text, "\n")
	if y.Line >= len(lines) {
		return knowledge.Section{}, false
	}
	from := y.Line
	for from > 0 && y.Line-from < commentLines && isComment(lines[from-1]) {
		from--
	}
	to := min(len(lines), y.EndLine+1, from+definitionLines)
	body := strings.TrimRight(strings.Join(lines[from:to], "\n"), " \t\r\n")
	return knowledge.Section{Path: y.Path, Line: from + 1, Text: body, Code: true}, body != ""
}

// isComment reports whether a line is a comment, by the marks of the common languages.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "#", "/*", "*", "--", ";", "%", "\"\"\""}, func(mark string) bool { return strings.HasPrefix(line, mark) })
}

// quotes reports whether a file of a snapshot still contains a text that a reference quotes.
func quotes(s *indexer.Snapshot, reader *indexer.Reader, path, text string) bool {
	file, ok := s.File(path)
	if !ok {
		return false
	}
	all, gate := reader.File(file)
	return gate == "" && strings.Contains(string(all), text)
}

// knownFiles are the files and the folders of a workspace, for matching paths in conversations:
// those of another machine or another checkout have the same ends.
type knownFiles struct {
	has     func(file string) bool
	folders map[string]bool
}

func newKnownFiles(s *indexer.Snapshot) *knownFiles {
	k := &knownFiles{folders: map[string]bool{}, has: func(file string) bool {
		_, ok := s.File(file)
		return ok
	}}
	s.Paths(func(_ int, file string) { k.add(file) })
	return k
}

// add records the folders of a file.
func (k *knownFiles) add(file string) {
	for dir := path.Dir(file); dir != "." && !k.folders[dir]; dir = path.Dir(dir) {
		k.folders[dir] = true
	}
}

// gone reports whether a file was in a folder of the workspace and no longer exists. Files
// elsewhere do not count.
func (k *knownFiles) gone(file string) bool {
	rest := strings.TrimLeft(path.Clean(strings.ReplaceAll(file, `\`, "/")), "/")
	inside := false
	for more := true; more; _, rest, more = strings.Cut(rest, "/") {
		if k.has(rest) {
			return false
		}
		inside = inside || k.folders[path.Dir(rest)]
	}
	return inside
}
