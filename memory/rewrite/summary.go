package rewrite

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/utterance"
)

//go:embed prompts/summary.txt
var summaryPrompt string

// RunTask asks a model for a summary of a run of messages.
type RunTask struct {
	Request Request

	o    Options
	keep []string
	have string
	seen string
}

// SourceTokens is the recommended length of the summary by rules that represents a run to the
// model.
const SourceTokens = 3000

// Run returns the task of summarising a run of messages. have is its summary by rules, which bounds
// the model's; source is a longer one, from which the model works. ok is false if there is nothing
// to ask for.
func Run(source, have string, o Options) (task RunTask, ok bool) {
	if have == "" || o.Count(source) <= o.Count(have) {
		return RunTask{}, false
	}
	task = RunTask{o: o, have: have, seen: source + "\n" + have, keep: summaryAnchors(have)}
	most := o.Count(have)
	prompt := fmt.Sprintf("Field \"summary\": at most %d words; keep %s\n\n%s", words(most), o.keepList(task.keep, keepTokens), o.Block("messages", source))
	task.Request, ok = o.request(summaryPrompt, prompt, objectSchema("summary"), most, 1)
	return task, ok
}

// summaryAnchors returns the anchors of the lines of a summary by rules, without its first line,
// which counts messages, and without the speakers.
func summaryAnchors(summary string) []string {
	_, lines, _ := strings.Cut(summary, "\n")
	var list []string
	for line := range strings.Lines(lines) {
		list = append(list, level.Anchors(withoutSpeaker(strings.TrimPrefix(strings.TrimSpace(line), "- ")), utterance.Assistant)...)
	}
	return kept(list, summary)
}

// withoutSpeaker returns a line of a summary without the leading "role: " or "role (author): ".
func withoutSpeaker(line string) string {
	for _, role := range [...]dialogue.Role{dialogue.User, dialogue.Assistant, dialogue.System, dialogue.Tool} {
		rest, ok := strings.CutPrefix(line, string(role))
		if !ok {
			continue
		}
		if after, ok := strings.CutPrefix(rest, ": "); ok {
			return after
		}
		if _, after, ok := strings.Cut(rest, "): "); ok && strings.HasPrefix(rest, " (") {
			return after
		}
	}
	return line
}

// Read returns the summary in an answer if it may replace the one by rules.
func (t *RunTask) Read(answer string) (string, error) {
	var in struct {
		Summary string `json:"summary"`
	}
	if err := read(answer, &in); err != nil {
		return "", err
	}
	text, err := t.o.text(in.Summary, check{source: t.seen, keep: t.keep, most: t.o.Count(t.have)})
	if err != nil {
		return "", fmt.Errorf("summary %w", err)
	}
	return text, nil
}
