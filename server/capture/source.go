package capture

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// source describes the logs of one host: where they are and how they are read.
type source struct {
	name   string
	places func(e Environment) []place
	format // of the places that have none of their own
	// named returns the part of a log's name by which logs are read in order: by when their
	// sessions began, for example. Logs of equal parts, or of a source without it, are read in the
	// order of their last changes.
	named func(path string) string
	// beside returns places of conversations that are not read; nil if none are known.
	beside func(e Environment) []place
}

// format describes how a log is read. Exactly one of lines, document and database is set.
type format struct {
	// hint returns what a log's path and the files beside it reveal about it. nil: the session is
	// named by the file.
	hint func(e Environment, path string) hint

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
	// near matches the files beside the logs that may hold conversations too; nil for none.
	near func(rel string) bool
	// deeper is how many folders deeper than the logs such files are looked for; 0 where the folder
	// holds other things, of which there may be many.
	deeper int
	as     *format // nil = the source's
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
//
// On a machine to which an editor connects, they are in the folder of its server.
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
	for _, name := range names {
		dir := filepath.Join(e.Home, editorServers[name], "data", "User")
		if _, err := os.Stat(dir); e.Home != "" && editorServers[name] != "" && err == nil {
			out = append(out, dir)
		}
	}
	return out
}

// editorServers holds the folders of editors' servers, below the home folder.
var editorServers = map[string]string{
	"Code": ".vscode-server", "Code - Insiders": ".vscode-server-insiders", "VSCodium": ".vscodium-server",
	"Cursor": ".cursor-server", "Windsurf": ".windsurf-server",
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
	{name: ClaudeCode, places: claudePlaces, beside: claudeBeside, format: format{lines: newClaude, settle: callSettles}},
	{name: Codex, places: codexPlaces, named: filepath.Base, format: format{lines: newCodex, settle: callSettles}},
	{name: OpenCode, places: opencodePlaces, beside: opencodeBeside, format: format{database: opencodeDatabase}},
	{name: Gemini, places: geminiPlaces, format: format{hint: geminiHint, document: geminiDocument}},
	{name: Cline, places: clinePlaces, format: format{hint: clineHint, document: taskDocument(Cline)}},
	{name: Roo, places: taskPlaces("rooveterinaryinc.roo-cline"), format: format{hint: clineHint, document: taskDocument(Roo)}},
	{name: Continue, places: continuePlaces, format: format{document: continueDocument}},
	{name: Aider, places: aiderPlaces, format: format{hint: aiderHint, lines: newAider, settle: textSettles}},
	{name: SpecStory, places: specstoryPlaces, format: format{hint: specstoryHint, document: specstoryDocument}},
	{name: VSCode, places: vscodePlaces, format: format{hint: vscodeHint, document: vscodeDocument}},
	{name: Cursor, places: cursorPlaces, named: cursorOrder, beside: cursorBeside, format: format{database: cursorDatabase}},
}

// claudePlaces returns the folders of the logs of sessions, and of the agents that they start, by
// project.
func claudePlaces(e Environment) []place {
	dir := e.under("CLAUDE_CONFIG_DIR", ".claude")
	if dir == "" {
		return nil
	}
	return []place{{dir: filepath.Join(dir, "projects"), depth: 3, match: logs(".jsonl"), near: others("sessions-index.json", "*.meta.json"), deeper: 2}}
}

// claudeBeside returns a folder in which versions of the host keep conversations in another form.
func claudeBeside(e Environment) []place {
	dir := e.under("CLAUDE_CONFIG_DIR", ".claude")
	if dir == "" {
		return nil
	}
	return []place{{dir: filepath.Join(dir, "transcripts"), depth: 1, near: others()}}
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

// formatOf returns the format of a log of the source.
func (s *source) formatOf(e Environment, path string) format {
	for _, p := range s.places(e) {
		if p.as != nil && p.holds(path) {
			return *p.as
		}
	}
	return s.format
}

// hasForms reports whether the logs of the source have several formats.
func (s *source) hasForms(e Environment) bool {
	return slices.ContainsFunc(s.places(e), func(p place) bool { return p.as != nil })
}

// form names how a log is read.
func (f format) form() string {
	switch {
	case f.database != nil:
		return "database"
	case f.document != nil:
		return "document"
	}
	return "lines"
}

// hintOf returns what the log's path and the files beside it reveal about it.
func (f format) hintOf(e Environment, path string) hint {
	if f.hint != nil {
		return f.hint(e, path)
	}
	base := filepath.Base(unpackedName(path))
	return hint{session: strings.TrimSuffix(base, filepath.Ext(base))}
}

// holds reports whether a file is a log of the place, judged by its path.
func (p place) holds(path string) bool {
	rel, err := filepath.Rel(p.dir, path)
	return err == nil && p.match != nil && filepath.IsLocal(rel) && strings.Count(filepath.ToSlash(rel), "/") <= p.depth && p.match(filepath.ToSlash(rel))
}

// each calls file for each log of the place, and folder for each folder in which one may appear. It
// does not follow links: a log is where its host writes it.
func (p place) each(folder func(dir string), file func(path string, info os.FileInfo)) {
	p.walk(p.dir, 0, folder, p.holds, file)
}

// walk calls file for each file of the place that is wanted, and folder for each folder.
func (p place) walk(dir string, depth int, folder func(dir string), wanted func(path string) bool, file func(path string, info os.FileInfo)) {
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
				p.walk(path, depth+1, folder, wanted, file)
			}
		case e.Type().IsRegular() && file != nil && wanted(path):
			if info, err := e.Info(); err == nil {
				file(path, info)
			}
		}
	}
}

// ignoredFolder lists folders within log folders that contain no logs.
var ignoredFolder = map[string]bool{"node_modules": true, ".git": true, "tool-results": true, "memory": true}
