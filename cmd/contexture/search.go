package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/spf13/cobra"
)

// patience is the time for an answer to a person. It is longer than that of an editor: the program
// may have to read its tables first, and a machine may be busy.
const patience = 3 * time.Second

// searchFlags are the flags of `contexture search`.
type searchFlags struct {
	roots                         []string
	limit                         int
	mode                          string
	exact, regex, sensitive, word bool
	kinds, paths, lang            []string
	deadline                      time.Duration
	asJSON, noWait                bool
}

// searchNames maps each field of command.SearchArgs that the command line can set to its flag or
// argument.
var searchNames = map[string]string{
	"query": "QUERY", "limit": "--limit", "mode": "--mode", "case": "--case", "word": "--word", "kinds": "--kinds", "paths": "--path", "languages": "--lang", "deadlineMs": "--deadline",
}

func newSearch(f *flags) *cobra.Command {
	var s searchFlags
	c := &cobra.Command{
		Use:   "search [flags] QUERY…",
		Short: "List the places of the workspace that a query is about, best first, or every line that matches a pattern; exits 1 when there is none",
		Example: `  contexture search "who closes the store"
  contexture search --mode symbol --lang go Open
  contexture search --regex --path 'server/**' 'err(or)?s? :='
  contexture search --exact --case --word Close`,
		Args: someWords(`"who closes the store"`),
		RunE: func(c *cobra.Command, words []string) error { return s.run(c, f, strings.Join(words, " ")) },
	}
	o := c.Flags()
	o.StringArrayVar(&s.roots, "root", nil, "a folder `DIR` of the workspace, as for other commands; may be repeated to search several workspaces")
	o.BoolVar(&s.exact, "exact", false, "list every line that contains QUERY, by path (--mode exact)")
	o.BoolVar(&s.regex, "regex", false, "list every line that matches the regular expression QUERY (RE2), by path (--mode regex)")
	o.BoolVar(&s.sensitive, "case", false, "with --exact or --regex: the case of letters matters")
	o.BoolVar(&s.word, "word", false, "with --exact or --regex: only whole words")
	o.IntVarP(&s.limit, "limit", "n", 0, fmt.Sprintf("hits at most, 1 to 200 (default 20); lines, 1 to %d (default %d)", mostLines, mostLines))
	o.StringVar(&s.mode, "mode", "", "how to search, a `MODE`: hybrid, lexical, semantic, symbol, exact or regex (default hybrid)")
	o.StringSliceVar(&s.kinds, "kinds", nil, "kinds of hits, such as code,doc")
	o.StringArrayVar(&s.paths, "path", nil, "`GLOB` of paths to search; may be repeated")
	o.StringSliceVar(&s.lang, "lang", nil, "languages to search, such as go,python")
	o.DurationVar(&s.deadline, "deadline", patience, fmt.Sprintf("time for the answer once the index is ready; for lines %s if it is not given", durationText(linePatience)))
	o.BoolVarP(&s.asJSON, "json", "j", false, "print the result of contexture.search, with path and line (from 1) beside each URI and range")
	o.BoolVar(&s.noWait, "no-wait", false, "search what is indexed now")
	completes(c, "mode", "hybrid", "lexical", "semantic", "symbol", "exact", "regex")
	return c
}

func (s *searchFlags) args(c *cobra.Command, query string) map[string]any {
	args := map[string]any{"query": query}
	switch {
	case s.exact:
		s.mode = "exact"
	case s.regex:
		s.mode = "regex"
	}
	if s.mode != "" {
		args["mode"] = s.mode
	}
	if s.listsLines() {
		args["limit"] = mostLines
		if !c.Flags().Changed("deadline") {
			s.deadline = linePatience
		}
	}
	args["deadlineMs"] = s.deadline.Milliseconds()
	for flag, set := range map[string]func(){
		"limit": func() { args["limit"] = s.limit },
		"case":  func() { args["case"] = s.sensitive },
		"word":  func() { args["word"] = s.word },
		"kinds": func() { args["kinds"] = s.kinds },
		"path":  func() { args["paths"] = s.paths },
		"lang":  func() { args["languages"] = s.lang },
	} {
		if c.Flags().Changed(flag) {
			set()
		}
	}
	return args
}

func (s *searchFlags) run(c *cobra.Command, f *flags, query string) (err error) {
	if s.exact && s.regex || (s.exact || s.regex) && s.mode != "" {
		return usage("--exact, --regex and --mode exclude each other")
	}
	args := s.args(c, query)
	var wanted command.SearchArgs
	if err := check(args, &wanted, searchNames); err != nil {
		return err
	}
	if err := refusal(server.CheckSearch(&wanted), searchNames); err != nil {
		return err
	}
	all := foundHits{limit: wanted.Limit}
	for _, root := range s.searched() {
		if f.root = root; root == "" && len(s.roots) > 0 {
			return usage("--root: is empty")
		}
		if err := s.search(c.Context(), f, args, &all); err != nil {
			return err
		}
	}
	all.finish(s.listsLines())
	switch {
	case s.asJSON:
		return orNothing(printJSON(f.env.stdout, all.script()), len(all.hits))
	case s.listsLines():
		return orNothing(printLines(f.env, &all), len(all.hits))
	}
	err = orNothing(printHits(f.env, all.hits), len(all.hits))
	seeMemory(f.env, all.hits)
	return err
}

// printHits lists hits: location and title, the reason, and the snippet.
func printHits(e *environment, hits []rootHit) error {
	p := e.outPalette()
	return e.show(listed(hits, func(b *strings.Builder, h rootHit) {
		where := h.w.place(h.URI, h.Range, false)
		if h.URI == "" {
			where = oneLine(remembered(h.Hit), 0)
		}
		fmt.Fprintf(b, "%s  %s\n", p.path(where), p.bold(oneLine(h.Title, 100)))
		fmt.Fprintf(b, "    %s\n", p.faint(h.Kind+", score "+fmt.Sprintf("%.2f", h.Score)+signalsText(h.Signals)))
		printSnippet(b, p, e.widthOf(e.out), h.Hit)
	}))
}

// remembered returns the origin of a hit of memory: its turn, or its id of knowledge.
func remembered(h command.Hit) string {
	return turnOr(h.ConversationID, h.TurnID, strings.TrimPrefix(h.ID, "knowledge:"))
}

// seeMemory lists the commands that accept the ids of hits of memory.
func seeMemory(e *environment, hits []rootHit) {
	turns := slices.ContainsFunc(hits, func(h rootHit) bool { return h.TurnID != "" })
	rules := slices.ContainsFunc(hits, func(h rootHit) bool { return h.Kind == "rule" })
	switch {
	case turns && rules:
		e.see("contexture chats show ID --turn T-n for a whole turn, contexture rules why ID for a rule")
	case turns:
		e.see("contexture chats show ID --turn T-n for a whole turn")
	case rules:
		e.see("contexture rules why ID for a rule")
	}
}

// printSnippet writes a hit's snippet with its line numbers, if they can be determined, in most
// columns at most.
func printSnippet(b *strings.Builder, p palette, most int, h command.Hit) {
	lines := strings.Split(strings.Trim(h.Snippet, "\n"), "\n")
	first := snippetLine(h, lines)
	for i, line := range lines {
		number := "│"
		if first > 0 {
			number = fmt.Sprintf("%5d │", first+i)
		}
		text := "    " + strings.TrimRight(p.faint(number)+" "+block(line), " ")
		if most > 0 {
			text = fold(strings.ReplaceAll(text, "\t", "    "), len("    ")+columnsOf(number)+1, most)
		}
		b.WriteString(text + "\n")
	}
}

// maxSnippetFile is the maximum size, in bytes, of a file that is read to find a line number: the
// maximum size of an indexed file.
const maxSnippetFile = 64 << 20

// snippetLine returns the number of the first line of a snippet in its file, which the result does
// not contain; 0 if the file no longer contains the snippet unchanged.
func snippetLine(h command.Hit, lines []string) int {
	path, ok := transport.FilePath(h.URI)
	if !ok || h.Range == nil {
		return 0
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxSnippetFile {
		return 0 // the file has changed since it was indexed
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	trim := func(s string) string { return strings.TrimRight(s, "\r\n") }
	file := strings.Split(string(data), "\n")
	for at := h.Range.Start.Line; at <= h.Range.End.Line && at+len(lines) <= len(file); at++ {
		if slices.EqualFunc(lines, file[at:at+len(lines)], func(a, b string) bool { return trim(a) == trim(b) }) {
			return at + 1
		}
	}
	return 0
}

// signalNames are the display names of the rankers.
var signalNames = map[string]string{"file": "keyword in its file", "vector": "semantic", "history": "similar commits"}

// signalsText lists the rankers that found a hit, with its rank in each, the best first.
func signalsText(signals map[string]command.Signal) string {
	names := slices.SortedFunc(maps.Keys(signals), func(a, b string) int {
		return cmp.Or(signals[a].Rank-signals[b].Rank, strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s #%d", cmp.Or(signalNames[name], name), signals[name].Rank)
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, ", ")
}
