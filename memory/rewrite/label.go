package rewrite

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed prompts/label.txt
var labelPrompt string

// Candidate is a sentence that may be a standing instruction, with the text around it.
type Candidate struct{ Text, Around string }

// LabelTask asks a model which candidates are standing instructions. The model selects quotations;
// it does not write any.
type LabelTask struct {
	Request Request
	list    []Candidate
}

// MostLabelled is the largest number of candidates in one task.
const MostLabelled = 8

// Label returns the task for the first of the candidates, at most MostLabelled; ok is false if they
// do not fit into the model's window.
func Label(list []Candidate, o Options) (task LabelTask, ok bool) {
	list = list[:min(MostLabelled, len(list))]
	if len(list) == 0 {
		return LabelTask{}, false
	}
	var b strings.Builder
	most := 0
	for i, c := range list {
		fmt.Fprintf(&b, "Number %d\n%s\n%s\n", i+1, o.Block("around", c.Around), o.Block("sentence", c.Text))
		most += o.Count(c.Text) + o.Count(strconv.Itoa(i)) + 12
	}
	schema := `{"type":"object","properties":{"standing":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},` +
		`"quotation":{"type":"string"}},"required":["n","quotation"],"additionalProperties":false}}},"required":["standing"],"additionalProperties":false}`
	task = LabelTask{list: list}
	task.Request, ok = o.request(labelPrompt, b.String(), []byte(schema), most, len(list)+1)
	return task, ok
}

// Read returns the indices of the candidates that the answer confirms, ascending, and the number of
// labels it refuses because their quotation is not the sentence.
func (t *LabelTask) Read(answer string) (confirmed []int, refused int, err error) {
	var in struct {
		Standing []struct {
			N         int    `json:"n"`
			Quotation string `json:"quotation"`
		} `json:"standing"`
	}
	if err := read(answer, &in); err != nil {
		return nil, 0, err
	}
	for _, s := range in.Standing {
		if s.N < 1 || s.N > len(t.list) || strings.TrimSpace(s.Quotation) != strings.TrimSpace(t.list[s.N-1].Text) {
			refused++
			continue
		}
		confirmed = append(confirmed, s.N-1)
	}
	slices.Sort(confirmed)
	return slices.Compact(confirmed), refused, nil
}
