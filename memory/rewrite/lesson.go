package rewrite

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/utterance"
)

//go:embed prompts/lesson.txt
var lessonPrompt string

// Lesson is what was learnt from a problem that was solved.
type Lesson struct{ Title, Content string }

// LessonTask asks for a lesson.
type LessonTask struct {
	Request Request

	o     Options
	have  Lesson
	turns []int
	keep  []string
}

// longestTitle is in bytes; a lesson by rules has at most that.
const longestTitle = 128

// mostKept is how many of a problem's error lines have to be in the lesson.
const mostKept = 3

// Solved gives the task of writing a lesson anew. have is the one by rules, which the model is shown and which bounds the
// answer; turns are those it was taken from. ok is false where there is nothing to ask for.
func Solved(have Lesson, turns []int, o Options) (task LessonTask, ok bool) {
	if strings.TrimSpace(have.Content) == "" || len(turns) == 0 {
		return LessonTask{}, false
	}
	task = LessonTask{o: o, have: have, turns: turns}
	for _, a := range level.Anchors(have.Content, utterance.Assistant) {
		if len(task.keep) < mostKept && level.Failure(a) && !strings.Contains(a, "Problem:") && !strings.Contains(a, "Confirmed:") {
			task.keep = append(task.keep, a)
		}
	}
	most := o.Count(have.Content)
	prompt := fmt.Sprintf("All fields together: at most %d words; keep %s\nTurns: %s\n\n%s", words(most), o.keepList(task.keep, keepTokens), plainJSON(turns),
		o.Block("lesson", have.Title+"\n\n"+have.Content))
	schema := `{"type":"object","properties":{"title":{"type":"string"},"problem":{"type":"string"},"solution":{"type":"string"},` +
		`"turns":{"type":"array","items":{"type":"integer"}}},"required":["title","problem","solution","turns"],"additionalProperties":false}`
	task.Request, ok = o.request(lessonPrompt, prompt, []byte(schema), most, 4)
	return task, ok
}

// Read gives the lesson of an answer, if it may stand in place of the one by rules. turns are those of which it says
// that it was taken from them: one or more of those shown.
func (t *LessonTask) Read(answer string) (got Lesson, turns []int, err error) {
	var in struct {
		Title    string `json:"title"`
		Problem  string `json:"problem"`
		Solution string `json:"solution"`
		Turns    []int  `json:"turns"`
	}
	if err := read(answer, &in); err != nil {
		return got, nil, err
	}
	for _, n := range in.Turns {
		if !slices.Contains(t.turns, n) {
			return got, nil, fmt.Errorf("lesson %w", errUnknown)
		}
	}
	slices.Sort(in.Turns)
	if in.Turns = slices.Compact(in.Turns); len(in.Turns) == 0 || strings.TrimSpace(in.Problem) == "" || strings.TrimSpace(in.Solution) == "" {
		return got, nil, fmt.Errorf("lesson %w", errEmpty)
	}
	source := t.have.Title + "\n" + t.have.Content
	got.Title, err = t.o.text(in.Title, check{source: source, most: t.o.Count(t.have.Content), line: true})
	if err == nil && len(got.Title) > longestTitle {
		err = errLonger
	}
	if err != nil {
		return Lesson{}, nil, fmt.Errorf("title %w", err)
	}
	content := "Problem: " + strings.TrimSpace(in.Problem) + "\n\nWhat worked: " + strings.TrimSpace(in.Solution)
	got.Content, err = t.o.text(content, check{source: source, keep: t.keep, most: t.o.Count(t.have.Content)})
	if err != nil {
		return Lesson{}, nil, fmt.Errorf("lesson %w", err)
	}
	return got, in.Turns, nil
}
