package recall

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// refute marks the answers that the person refuted in the next turn, and ranks them below what was
// found of that turn.
func (g *gathering) refute(ctx context.Context) error {
	replies := map[turnKey]int{} // by turn: the turn that refutes its answer, 0 for none
	for i := range g.lines {
		l := &g.lines[i]
		s, at := g.at[location{l.conv, l.Index}], turnKey{l.conv, l.Turn}
		end := g.openings[at].end
		if s == nil || s.said.Message.Role != dialogue.Assistant || s.said.Message.Named() || l.Index+settledAfter < end {
			continue
		}
		reply, read := replies[at]
		if !read {
			next, err := g.src.Messages(ctx, l.conv, end, end+1)
			if err != nil {
				return fmt.Errorf("read the reply to an answer: %w", err)
			}
			if len(next) > 0 && refutes(s.said.Message, next[0].Message) {
				reply = next[0].Turn
			}
			replies[at] = reply
		}
		if reply == 0 {
			continue
		}
		l.Refuted = dialogue.TurnID(reply)
		l.Tokens = lineTokens(l.Line, g.src.Count)
		if best := g.best(turnKey{l.conv, reply}); best > 0 {
			l.Score = min(l.Score, belowOutcome*best)
		}
	}
	return nil
}

// best returns the best score of what was found of a turn.
func (g *gathering) best(at turnKey) (best float64) {
	for _, l := range g.lines {
		if l.conv == at.conv && l.Turn == at.turn {
			best = max(best, l.Score)
		}
	}
	return best
}

// refutes reports whether a person's reply says that an answer is wrong or did not work.
func refutes(answer, reply dialogue.Message) bool {
	if !reply.ByPerson() {
		return false
	}
	said, last := clip(answer.Content, maxHead), ""
	if list := utterance.Sentences(said); len(list) > 0 {
		last = said[list[len(list)-1].Start:list[len(list)-1].End]
	}
	read := utterance.Read(clip(reply.Content, maxHead), utterance.Person, last)
	return len(read) > 0 && read[0].Scores[utterance.Problem] >= refutedAt && read[0].Scores[utterance.Question] < read[0].Scores[utterance.Problem]
}
