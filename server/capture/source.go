package capture

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// source describes the logs of one host: where they are and how they are read. Exactly one of
// lines, document and database is set.
type source struct {
	name   string
	places func(e Environment) []place
	// hint returns what a log's path and the files beside it reveal about it. nil: the session is
	// named by the file.
	hint func(path string) hint

	// lines returns the parser of a log that grows line by line.
	lines func(h hint) lineParser
	// document parses a log that is replaced as a whole. Messages that may still change are marked
	// open.
	document func(r io.Reader, h hint, out *Found)
	// database reads the sessions of a database that changed since a time, sequentially.
	database func(ctx context.Context, path string, since time.Time, each func(updated time.Time, found *Found) error) error

	// settle is how long a log of lines must be unchanged before what waits in its parser counts as
	// complete.
	settle time.Duration
}

// place is a folder with logs.
type place struct {
	dir   string                // absolute
	depth int                   // how many folders deep logs lie, 0 for dir itself
	match func(rel string) bool // by the path below dir, with slashes
}

// Environment holds what determines where hosts keep their logs.
type Environment struct {
	Home   string
	Getenv func(string) string // nil = no variable is set
	// Roots lists the folders in which people work, for hosts that keep their logs there; nil =
	// none.
	Roots func() []string
}

func (e Environment) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// under returns the folder that an environment variable names, else one below the home folder. It
// is "" if neither is known.
func (e Environment) under(variable string, below ...string) string {
	if dir := e.getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{e.Home}, below...)...)
}

// codeUsers returns the folders in which the named editors, such as Code or Cursor, keep a user's
// data.
func (e Environment) codeUsers(names ...string) []string {
	base := e.under("XDG_CONFIG_HOME", ".config")
	switch runtime.GOOS {
	case "darwin":
		base = e.under("", "Library", "Application Support")
	case "windows":
		base = cmp.Or(e.getenv("AppData"), base)
	}
	if base == "" {
		return nil
	}
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(base, name, "User"))
	}
	return out
}

// roots lists the folders in which people work.
func (e Environment) roots() []string {
	if e.Roots == nil {
		return nil
	}
	return e.Roots()
}

// sources lists all sources, in the order of Sources.
var sources = []*source{
	{name: ClaudeCode, places: claudePlaces, lines: newClaude, settle: callSettles},
	{name: Codex, places: codexPlaces, lines: newCodex, settle: callSettles},
	{name: OpenCode, places: opencodePlaces, database: opencodeDatabase},
	{name: Gemini, places: geminiPlaces, hint: geminiHint, document: geminiDocument},
	{name: Cline, places: clinePlaces, hint: clineHint, document: clineDocument},
	{name: Roo, places: taskPlaces("rooveterinaryinc.roo-cline"), hint: clineHint, document: clineDocument},
	{name: Continue, places: continuePlaces, document: continueDocument},
	{name: Aider, places: aiderPlaces, hint: aiderHint, lines: newAider, settle: textSettles},
	{name: SpecStory, places: specstoryPlaces, hint: specstoryHint, document: specstoryDocument},
	{name: VSCode, places: vscodePlaces, hint: vscodeHint, document: vscodeDocument},
	{name: Cursor, places: cursorPlaces, database: cursorDatabase},
}

// claudePlaces returns the folders of the logs of sessions, and of the agents that they start, by
// project.
func claudePlaces(e Environment) []place {
	dir := e.under("CLAUDE_CONFIG_DIR", ".claude")
	if dir == "" {
		return nil
	}
	return []place{{filepath.Join(dir, "projects"), 3, suffixed(".jsonl")}}
}

// suffixed matches files by the end of their name.
func suffixed(ends ...string) func(string) bool {
	return func(rel string) bool {
		for _, end := range ends {
			if strings.HasSuffix(rel, end) {
				return true
			}
		}
		return false
	}
}

// sourceOf returns the source with a name, nil if there is none.
func sourceOf(name string) *source {
	for _, s := range sources {
		if s.name == name {
			return s
		}
	}
	return nil
}

// hintOf returns what the log's path and the files beside it reveal about it.
func (s *source) hintOf(path string) hint {
	if s.hint != nil {
		return s.hint(path)
	}
	base := filepath.Base(path)
	return hint{session: strings.TrimSuffix(base, filepath.Ext(base))}
}

// holds reports whether a file is a log of the source, judged by its path.
func (s *source) holds(e Environment, path string) bool {
	for _, p := range s.places(e) {
		if p.holds(path) {
			return true
		}
	}
	return false
}

func (p place) holds(path string) bool {
	rel, err := filepath.Rel(p.dir, path)
	return err == nil && filepath.IsLocal(rel) && strings.Count(filepath.ToSlash(rel), "/") <= p.depth && p.match(filepath.ToSlash(rel))
}

// each calls file for each log of the place, and folder for each folder in which one may appear. It
// does not follow links: a log is where its host writes it.
func (p place) each(folder func(dir string), file func(path string, info os.FileInfo)) {
	p.walk(p.dir, 0, folder, file)
}

func (p place) walk(dir string, depth int, folder func(dir string), file func(path string, info os.FileInfo)) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	if folder != nil {
		folder(dir)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if depth < p.depth && !ignoredFolder[e.Name()] {
				p.walk(path, depth+1, folder, file)
			}
		case e.Type().IsRegular() && file != nil && p.holds(path):
			if info, err := e.Info(); err == nil {
				file(path, info)
			}
		}
	}
}

// ignoredFolder lists folders within log folders that contain no logs.
var ignoredFolder = map[string]bool{"node_modules": true, ".git": true, "tool-results": true, "memory": true}
