package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
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
	asJSON, noWait, explain       bool
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
	o.BoolVarP(&s.explain, "explain", "e", false, "show the kind and score of each ranked hit, and its rank by each way of searching")
	o.BoolVarP(&s.asJSON, "json", "j", false, "print the result of contexture.search, with path and line (from 1) beside each URI and range")
	o.BoolVar(&s.noWait, "no-wait", false, "search what is indexed now")
	completesNames(f, c)
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
	if s.explain && s.listsLines() {
		return usage("--explain: is for ranked hits; the lines of mode %s have no scores", s.mode)
	}
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
	err = orNothing(printHits(f.env, all.hits, query, s.explain), len(all.hits))
	seeMemory(f.env, all.hits)
	return err
}
