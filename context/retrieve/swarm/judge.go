package swarm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/context/item"
)

const (
	// judgeMost bounds the items that the judge sees, in one question, and judgeTokens the text of
	// each.
	judgeMost   = 40
	judgeTokens = 40
)

// Format is how an item is shown. The zero value leaves it out.
type Format string

// The formats of the contract.
const (
	Full    Format = "full"
	Summary Format = "summary"
	Tickler Format = "tickler"
)

// Verdict is the decision on an item.
type Verdict struct {
	Format Format // "" leaves it out
	Board  bool   // a lesson or reference that goes on the board, and not into the memory layer
}

// Room is the number of tokens for the layers of memory, scaled to the bundle's budget.
type Room struct{ Memory, Board int }

// JudgeResult is the judge's result.
type JudgeResult struct {
	Verdicts []Verdict    // by item; nil when the rules without a model apply
	Outcome  item.Outcome // of the stage: OK, TimedOut or Fallback
	Degraded []item.Degradation
}

var judgeRole = role{"judge", judgeSystem, judgeSchema}

// Judge asks which items go in, where and how. Items must be sorted, best first. It returns when
// ctx ends at the latest. An item that was not shown, because there are more than the model can be
// shown, stays as it is: in full, subject to packing. So does what the prompt names.
func (s *Swarm) Judge(ctx context.Context, prompt string, items []item.Item, room Room) JudgeResult {
	if s.chat.Identity() == "" || len(items) == 0 {
		return JudgeResult{Outcome: item.Fallback}
	}
	var shown []item.Item
	verdicts := make([]Verdict, len(items))
	unknown := 0
	g := s.begin(ctx, &s.judged)
	defer g.end(ctx)
	build := func(z size) question {
		shown = items[:min(judgeMost>>z, len(items))]
		return s.judgeQuestion(prompt, shown, room, z)
	}
	err := g.resized(ctx, build, func(text string) (err error) {
		clear(verdicts)
		unknown, err = readVerdicts(text, shown, verdicts)
		return err
	})
	s.judged.unknown.Add(uint64(unknown))
	if err != nil {
		s.judged.unchecked.Add(uint64(len(shown)))
		said := lacks("judge", 1, []error{err}, "the rules without a model decided")
		return JudgeResult{Outcome: outcome([]error{err}, said), Degraded: said}
	}
	for i, it := range items {
		if i >= len(shown) || it.Named && verdicts[i].Format == "" {
			verdicts[i].Format = Full
		}
		if i < len(shown) {
			s.judged.verdict(verdicts[i].Format != "")
		}
	}
	return JudgeResult{Verdicts: verdicts, Outcome: item.OK}
}

// readVerdicts parses an answer. If it names an item in several formats, the fullest wins.
func readVerdicts(text string, shown []item.Item, verdicts []Verdict) (unknown int, err error) {
	var answer struct{ Full, Summary, Tickler, Board []int }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return 0, errors.New("the answer is not lists of numbers")
	}
	chosen := 0
	each := func(numbers []int, do func(*Verdict, item.Item)) {
		for _, n := range numbers {
			if n < 1 || n > len(shown) {
				unknown++
				continue
			}
			do(&verdicts[n-1], shown[n-1])
		}
	}
	for _, list := range []struct {
		format  Format
		numbers []int
	}{{Full, answer.Full}, {Summary, answer.Summary}, {Tickler, answer.Tickler}} {
		each(list.numbers, func(v *Verdict, _ item.Item) {
			if v.Format == "" {
				v.Format = list.format
				chosen++
			}
		})
	}
	each(answer.Board, func(v *Verdict, it item.Item) {
		v.Board = v.Format != "" && (it.Kind == item.Lesson || it.Kind == item.Reference)
	})
	if chosen == 0 {
		return unknown, errors.New("the answer chooses nothing that was shown, which is not accepted")
	}
	return unknown, nil
}

func (s *Swarm) judgeQuestion(prompt string, shown []item.Item, room Room, z size) question {
	var b bytes.Buffer
	s.wish(&b, prompt)
	b.WriteString("\nThe items:\n")
	for i, it := range shown {
		s.line(&b, i+1, it, z.tokens(judgeTokens), true)
	}
	fmt.Fprintf(&b, "\nThe memory layer holds %d tokens, the board %d. Which numbers go in, and how?", room.Memory, room.Board)
	return question{judgeRole, z, b.String(), 64 + 6*len(shown)}
}
