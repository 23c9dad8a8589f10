package recall

import (
	"context"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// wantsMessages reports whether messages can answer for a memory type.
func wantsMessages(memoryType string) bool {
	switch memoryType {
	case "rule", "lesson", "reference", "task":
		return false
	}
	return true
}

// kinds chooses what messages have for a memory type.
type kinds struct {
	src       Sources
	kind      string                      // the memory type
	decisions map[uint32]map[int][]string // of conversations, by turn
}

// partOf returns, verbatim, the part of a message that answers for a memory type; ok is false when
// there is none.
func (l *kinds) partOf(ctx context.Context, conv uint32, s LocatedMessage) (text string, ok bool, err error) {
	if s.Message.Role == dialogue.System || s.Message.Role == dialogue.Tool {
		return "", false, nil // the host's, another agent's, or a tool's
	}
	text = textOf(s.Message)
	switch l.kind {
	case "fact":
		text = sentencesThat(s, func(p utterance.Scores) bool { return p[utterance.Question] < asksAt && p[utterance.Order] < ordersAt })
	case "decision":
		text, err = l.decided(ctx, conv, s)
	case "procedure":
		return text, len(s.Message.ToolCalls) > 0 || holdsCode(s.Message.Content) || holdsSteps(s.Message.Content), nil
	case "code":
		return text, holdsCode(s.Message.Content) || len(s.Message.ToolCalls) > 0 || len(s.Message.Symbols)+len(s.Message.URIs) > 0 || namesCode(s.Message.Content), nil
	}
	return text, strings.TrimSpace(text) != "" || len(s.Message.ToolCalls) > 0, err
}

// sentencesThat returns the sentences of a message for which does returns true, in order.
func sentencesThat(s LocatedMessage, does func(utterance.Scores) bool) string {
	content := clip(s.Message.Content, maxHead)
	role := utterance.Assistant
	if s.Message.ByPerson() {
		role = utterance.Person
	}
	var out []string
	for _, part := range utterance.Read(content, role, "") {
		if does(part.Scores) {
			out = append(out, content[part.Start:part.End])
		}
	}
	return strings.Join(out, " ")
}

// decided returns the decisions of a message: those of its conversation's arc, or else the
// sentences that read as decisions.
func (l *kinds) decided(ctx context.Context, conv uint32, s LocatedMessage) (string, error) {
	byTurn, known := l.decisions[conv]
	if !known {
		var err error
		if byTurn, err = l.src.Decisions(ctx, conv); err != nil {
			return "", err
		}
		l.decisions[conv] = byTurn
	}
	var out []string
	for _, text := range byTurn[s.Turn] {
		if strings.Contains(s.Message.Content, text) {
			out = append(out, text)
		}
	}
	if len(out) > 0 {
		return strings.Join(out, " "), nil
	}
	return sentencesThat(s, func(p utterance.Scores) bool { return p[utterance.Decision] >= decidesAt }), nil
}

// holdsCode reports whether a message quotes code or a command.
func holdsCode(text string) bool {
	for _, b := range utterance.Blocks(clip(text, maxHead)) {
		if b.Source == utterance.Code {
			return true
		}
	}
	return false
}

func holdsSteps(text string) bool {
	n := 0
	for _, s := range utterance.Sentences(clip(text, maxHead)) {
		if s.Listed {
			n++
		}
	}
	return n >= steps
}

// namesCode reports whether a message names a file or a symbol.
func namesCode(text string) bool {
	for _, t := range utterance.Terms(clip(text, maxRead)) {
		if t.Code {
			return true
		}
	}
	return false
}
