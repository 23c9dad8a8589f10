package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
)

// sayIndexed writes what had to be indexed first; nothing if the index was up to date.
func sayIndexed(w io.Writer, st indexer.Status, took time.Duration) {
	if st.Parsed > 0 {
		fmt.Fprintf(w, "Read %s in %s; %s in %s are searchable.\n", counted(st.Parsed, "file"), durationText(took), counted(st.Chunks, "piece"), counted(st.Files, "file"))
	}
	for _, text := range st.Errors {
		fmt.Fprintf(w, "contexture: %s\n", oneLine(text, 0))
	}
}

// layerNames are the display names of the layers.
var layerNames = map[string]string{
	"L0_identity": "identity", "L1_global_prefs": "preferences", "L2_topic": "topics", "L3_entity": "entities",
	"L4_conversation": "conversation", "L5_jit": "found", "L6_message_history": "history", "L7_user_message": "prompt",
}

// nextShown is how many of the places that come next a summary names.
const nextShown = 3

// summarize writes in a few lines what a bundle holds and what it lacks.
func (w *workspace) summarize(r *command.BundleResult, took time.Duration) error {
	p := w.env.errPalette()
	var b strings.Builder
	line := fmt.Sprintf("%s of %s tokens (%s), read as %s, in %s", count(r.Tokens), count(r.Budget), r.Encoding, withArticle(r.Frame), durationText(took))
	fmt.Fprintf(&b, "%s\n", p.bold(line))
	var rows [][]string
	for _, l := range r.Layers {
		if l.Used > 0 {
			rows = append(rows, []string{layerNames[l.Layer], count(l.Used), kindsOf(r.Items, l.Layer)})
		}
	}
	b.WriteString(grid{w.env.widthOf(w.env.err), "  ", []int{1}, rows}.String())
	if left := leftOut(r.Dropped); left != "" {
		fmt.Fprintf(&b, "  left out: %s\n", left)
	}
	if next := comesNext(r.Dropped); len(next) > 0 && !onlyPrompt(r) {
		places := make([]string, min(nextShown, len(next)))
		for i := range places {
			places[i] = w.place(next[i].URI, next[i].Range, false)
		}
		fmt.Fprintf(&b, "  there is more (--fill full): %s\n", strings.Join(places, ", "))
	}
	for _, d := range r.Degraded {
		fmt.Fprintf(&b, "%s %s\n", p.yellow("!"), degradation(d))
	}
	switch {
	case !onlyPrompt(r):
	case r.Intent.Greeting:
		b.WriteString("  a greeting: nothing was looked up\n")
	default:
		b.WriteString(p.yellow("!") + " nothing in the workspace matches; name a file, a symbol or other words (contexture search QUERY shows what is found)\n")
	}
	_, err := io.WriteString(w.env.stderr, b.String())
	return err
}

func onlyPrompt(r *command.BundleResult) bool {
	return !slices.ContainsFunc(r.Items, func(it command.Item) bool { return it.URI != "" })
}

func withArticle(frame string) string {
	article := "a "
	if frame == "conversation" || frame == "creative" {
		article = ""
	}
	switch frame {
	case "debug":
		return "a bug to find"
	case "creative":
		return "creative work"
	}
	return article + frame
}

// kindsOf counts the items of a layer by kind, highest count first: "29 code, 4 docs".
func kindsOf(items []command.Item, layer string) string {
	counts := map[string]int{}
	for _, it := range items {
		if it.Layer == layer && it.Kind != "prompt" {
			counts[it.Kind]++
		}
	}
	named := map[string]int{}
	for kind, n := range counts {
		named[kindName(kind, n)] = n
	}
	return tally(named)
}

// kindName returns the noun for n items of a kind.
func kindName(kind string, n int) string {
	switch kind {
	case "code", "identity": // are not counted in pieces
		return kind
	case "tickler":
		kind = "reminder"
	}
	return plural(n, kind)
}

// leftOut counts the dropped items by reason.
func leftOut(dropped []command.Dropped) string {
	counts := map[string]int{}
	for _, d := range dropped {
		counts[dropReasons[d.Reason]]++
	}
	return tally(counts)
}

var dropReasons = map[string]string{
	"duplicate": "duplicate", "redundant": "adding nothing new", "budget": "over budget", "threshold": "not relevant enough", "stale": "changed since",
	"outsideRoot": "outside the workspace", "binary": "binary", "excluded": "excluded", "filtered": "filtered out", "superseded": "replaced by newer",
}

// tally formats counts, highest first.
func tally(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = count(counts[name]) + " " + name
	}
	return strings.Join(names, ", ")
}

// stageNames are the display names of the stages.
var stageNames = map[string]string{
	"keyword": "the keyword search", "vector": "the semantic search", "filter": "the model's filter", "judge": "the model's judge", "index": "the index",
	"memory": "memory", "model": "the model",
}

// degradation describes a degradation in a sentence.
func degradation(d command.Degradation) string {
	says := map[string]string{
		"timeout": "ran out of time", "unreachable": "could not reach the model server", "modelMissing": "has no model", "badAnswer": "got an answer that cannot be used",
		"overloaded": "was overloaded", "indexing": "is not complete yet", "stale": "is out of date", "error": "failed",
	}
	text := cmp.Or(stageNames[d.Stage], d.Stage) + " " + cmp.Or(says[d.Reason], d.Reason)
	if d.Detail != "" {
		text += ": " + oneLine(d.Detail, 0)
	}
	return text
}

// mostLeftOut is how many of the places that were left out an explanation lists.
const mostLeftOut = 10

// explainBundle shows every item with its tokens, score and reason, each passage with its
// probability and its price, by how much others missed, and how long each step took.
func (w *workspace) explainBundle(r *command.BundleResult) error {
	rows := [][]string{{"layer", "kind", "tokens", "score", "form", "where", "why"}}
	for _, it := range r.Items {
		rows = append(rows, []string{
			cmp.Or(layerNames[it.Layer], it.Layer), it.Kind, count(it.Tokens), strconv.FormatFloat(it.Score, 'f', 2, 64), it.Format, w.where(it), oneLine(it.Reason, 120),
		})
	}
	var b strings.Builder
	width := w.env.widthOf(w.env.err)
	b.WriteString(grid{width, "", []int{2, 3}, rows}.String())
	if rows := passageRows(w, r.Items); len(rows) > 0 {
		b.WriteString("\n" + grid{width, "", []int{1, 2}, append([][]string{{"passage", "probability", "price", "lines with words of the prompt"}}, rows...)}.String())
	}
	if rows := missedRows(w, r.Dropped); len(rows) > 0 {
		b.WriteString("\n" + grid{width, "", []int{1, 2}, append([][]string{{"left out", "probability", "needed", "what"}}, rows...)}.String())
	}
	if focus := focusLine(r.Intent.Focus); focus != "" {
		b.WriteString("\n" + focus + "\n")
	}
	b.WriteString("\n" + w.env.errPalette().faint(stagesLine(r.Stages)) + "\n\n")
	_, err := io.WriteString(w.env.stderr, b.String())
	return err
}

// passageRows lists the passages that were chosen by their lines.
func passageRows(ws *workspace, items []command.Item) (rows [][]string) {
	for _, it := range items {
		for _, p := range it.Passages {
			if p.Score == 0 {
				continue
			}
			lines := make([]string, len(p.Matched))
			for i, n := range p.Matched {
				lines[i] = strconv.Itoa(n + 1)
			}
			at := p.Range
			at.End.Line-- // exclusive
			rows = append(rows, []string{ws.place(it.URI, &at, true), probability(p.Score), probability(p.Price), strings.Join(lines, " ")})
		}
	}
	return rows
}

// missedRows lists the most probable places that were not probable enough.
func missedRows(ws *workspace, dropped []command.Dropped) (rows [][]string) {
	for _, d := range nextBest(dropped) {
		if d.Needed > 0 && len(rows) < mostLeftOut {
			rows = append(rows, []string{ws.place(d.URI, d.Range, false), probability(d.Score), probability(d.Needed), oneLine(d.Title, 60)})
		}
	}
	return rows
}

// nextBest returns the places that were left out for want of relevance or room, the most probable
// first.
func nextBest(dropped []command.Dropped) (out []command.Dropped) {
	for _, d := range dropped {
		if d.URI != "" && (d.Reason == "threshold" || d.Reason == "budget") {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(x, y command.Dropped) int { return cmp.Compare(y.Score, x.Score) })
	return out
}

// comesNext returns those of the next best places that a full bundle may show: none where the
// prompt is about something else, so that no probability is enough.
func comesNext(dropped []command.Dropped) []command.Dropped {
	return slices.DeleteFunc(nextBest(dropped), func(d command.Dropped) bool { return d.Needed >= 1 })
}

func probability(p float64) string { return strconv.FormatFloat(p, 'f', 3, 64) }

// focusLine lists what the conversation is about: "The conversation is about pool.go (T-3), Acquire
// (T-2)".
func focusLine(list []command.Focus) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, f := range list {
		from := f.TurnID
		if f.From == "earlier" {
			from = "an earlier conversation"
		}
		parts[i] = oneLine(f.Name, 60)
		if from != "" {
			parts[i] += " (" + from + ")"
		}
	}
	return "The conversation is about " + strings.Join(parts, ", ")
}

// where returns the location of an item.
func (w *workspace) where(it command.Item) string {
	if it.URI == "" {
		return oneLine(it.Title, 70)
	}
	place := w.place(it.URI, it.Range, true)
	if it.Title != "" && !strings.Contains(place, it.Title) {
		place += " " + oneLine(it.Title, 60)
	}
	return place
}

// place formats a URI and a range as path:line, or path:line-line.
func (w *workspace) place(uri string, r *command.Range, end bool) string {
	path := uri
	if file, ok := transport.FilePath(uri); ok {
		path = w.env.shown(w.root, file)
	}
	path = oneLine(path, 0)
	if r == nil {
		return path
	}
	path += ":" + strconv.Itoa(r.Start.Line+1)
	if end && r.End.Line > r.Start.Line {
		path += "-" + strconv.Itoa(r.End.Line+1)
	}
	return path
}

// outcomes are the display texts of the outcomes of stages.
var outcomes = map[string]string{"fallback": "by rules, without a model", "partial": "not complete", "timeout": "out of time", "error": "failed"}

// stagesLine returns how long each stage took, and its outcome unless it was normal.
func stagesLine(stages []command.Stage) string {
	parts := make([]string, len(stages))
	for i, s := range stages {
		parts[i] = fmt.Sprintf("%s %.1f ms", s.Name, s.MS)
		if s.Outcome != "ok" {
			parts[i] += " (" + cmp.Or(outcomes[s.Outcome], s.Outcome) + ")"
		}
	}
	return strings.Join(parts, ", ")
}
