package knowledge

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Failure is how a command failed, without what differs at each occurrence: numbers, and folders of
// files.
type Failure struct {
	kinds  []string // of the commands that may have failed
	reason string   // the line that says best what failed; "" for none
	lines  []string // of the output, each once
}

// NewFailure returns the failure that an output reports. The command is "" if it is not known.
func NewFailure(command, output string) Failure {
	output = withoutEcho(clippedOutput(output), command)
	f := Failure{kinds: kindsOf(command), reason: signOf(failureLine(output))}
	for line := range strings.Lines(output) {
		if sign := signOf(line); sign != "" && !exitLine.MatchString(strings.TrimSpace(line)) && !slices.Contains(f.lines, sign) {
			if f.lines = append(f.lines, sign); len(f.lines) == mostFailures {
				break
			}
		}
	}
	if len(f.lines) > 0 {
		f.reason = cmp.Or(f.reason, f.lines[0])
	}
	return f
}

// kindsOf returns the kinds of the programs that a shell's input runs, each once. One whose status
// is lost before a pipe or a semicolon counts too: what it printed may be the failure.
func kindsOf(input string) (out []string) {
	for _, p := range Programs(input) {
		if kind := kindOf(p.Words); p.Words[0] != "cd" && !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// alike reports whether another failure is the same: it has the same reason, and most lines of the
// shorter output stand in the other one.
func (f Failure) alike(o Failure) bool {
	if f.reason == "" || f.reason != o.reason {
		return false
	}
	common := 0
	for _, l := range o.lines {
		if slices.Contains(f.lines, l) {
			common++
		}
	}
	return 2*common >= min(len(f.lines), len(o.lines))
}

// Runs returns the runs in a message that failed in the same way: of a command of the same kind, or
// of any if the command is not known.
func (f Failure) Runs(m *dialogue.Message, marks Marks) (out []Execution) {
	for _, c := range m.ToolCalls {
		command := c.Deed().Command
		if command == "" || refused(c) || !f.alike(NewFailure(command, textIn(c.Result))) {
			continue
		}
		kinds := kindsOf(command)
		if f.kinds != nil {
			kinds = slices.DeleteFunc(kinds, func(k string) bool { return !slices.Contains(f.kinds, k) })
		}
		for _, kind := range kinds {
			one := dialogue.Message{ToolCalls: []dialogue.ToolCall{c}}
			for _, e := range marks.Runs(kind, []dialogue.Message{one}) {
				if e.Outcome == Failed {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// Repair returns the command line that passed in place of a failing one, from the messages of its
// turn after it, with the index of its message: the next run of the same kind that passed, if it
// ran something else, and no file was changed before it. It is "" if there is none.
func (marks Marks) Repair(failed *Execution, after []dialogue.Message) (line string, message int) {
	for _, e := range marks.Runs(failed.Kind, after) {
		if e.Outcome != Passed || e.AsksForHelp() {
			continue
		}
		for _, m := range after[:e.Message+1] {
			if slices.ContainsFunc(m.ToolCalls, func(c dialogue.ToolCall) bool { return c.Deed().Changes }) {
				return "", 0
			}
		}
		return otherCommand(e.Line, failed.Line), e.Message
	}
	return "", 0
}

// otherCommand returns a command that passed, without what only shortens its output; "" if it is
// the one that failed, or of another kind. What ran before it on its line is no difference: on
// recorded sessions that was mostly a way around the failure, as git stash is.
func otherCommand(passed, failed string) string {
	bare := func(command string) (words []string, text string) {
		parts := shellParts(command)
		for i, p := range parts {
			if p.after == "|" || i == len(parts)-1 {
				return slices.DeleteFunc(p.words, func(w string) bool { return w == "2>&1" }), command[:p.end]
			}
		}
		return nil, ""
	}
	words, text := bare(passed)
	if was, _ := bare(failed); slices.Equal(words, was) || len(words)*len(was) == 0 || kindOf(words) != kindOf(was) {
		return ""
	}
	return text
}

// Failing is a message in which a command failed.
type Failing struct {
	Conversation uint32
	Message      int
}

// keys returns what begins all keys of a failure. The index of failures has a key for each of a
// message's: the hash of its reason, then the message. The values are empty.
func (f Failure) keys(ws store.Workspace) []byte {
	h := fnv.New64a()
	_, _ = h.Write([]byte(f.reason)) // never fails
	return h.Sum(store.Prefix(store.Failures, ws))
}

// key returns the key of a failure in a message.
func (f Failure) key(ws store.Workspace, at Failing) []byte {
	return store.AppendUint32(store.AppendUint32(f.keys(ws), at.Conversation), uint32(at.Message))
}

// FailuresOf returns the failures of a message's calls.
func FailuresOf(m *dialogue.Message) (out []Failure) {
	for _, c := range m.ToolCalls {
		command := c.Deed().Command
		if command == "" || refused(c) {
			continue
		}
		output := textIn(c.Result)
		if (Marks{}).outcome(c, withoutEcho(clippedOutput(output), command), true) != Failed {
			continue
		}
		if f := NewFailure(command, output); f.reason != "" {
			out = append(out, f)
		}
	}
	return out
}

// Index stages failures of a message that was added.
func (at Failing) Index(tx store.Tx, list []Failure) {
	for _, f := range list {
		tx.Set(f.key(tx.Workspace, at), nil)
	}
}

// Remove stages the removal of what [Failing.Index] stages.
func (at Failing) Remove(tx store.Tx, list []Failure) {
	for _, f := range list {
		tx.Delete(f.key(tx.Workspace, at))
	}
}

// ClearFailing stages the removal of the index of failures.
func ClearFailing(tx store.Tx) {
	prefix := store.Prefix(store.Failures, tx.Workspace)
	tx.DeleteRange(prefix, store.PrefixEnd(prefix))
}

// In returns the messages in which a command failed for the same reason, those of the latest
// conversations first, at most most.
func (f Failure) In(view store.View, most int) (out []Failing, err error) {
	if f.reason == "" {
		return nil, nil
	}
	prefix := f.keys(view.Workspace)
	err = view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (more bool, err error) {
		at := key[len(prefix):]
		out = append(out, Failing{binary.BigEndian.Uint32(at), int(binary.BigEndian.Uint32(at[4:]))})
		return len(out) < most, nil
	})
	return out, err
}
