package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Outcome is what came of a command.
type Outcome string

// The outcomes. Unknown means that neither the host nor the output tells it.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Unknown Outcome = "unknown"
)

// Execution is a command line that a tool call ran, and what came of it.
type Execution struct {
	// Line is the command line, byte for byte, without a "cd" before it. Of a script of several
	// lines it is the one that was looked for.
	Line    string
	Folder  string // in which it ran, as the call names it; "" when unknown
	Message int    // its index in the messages
	Outcome Outcome
	Failure string // a line of the output that says what failed, byte for byte; "" for none
	// Kind is the program with the names of what it does, which commands that do the same share.
	Kind string
}

// longestLineOfCommand is the size in bytes above which a line is no command that anybody repeats.
const longestLineOfCommand = 1000

// Marks are the names of the tools whose failing calls the host marks: a call of them without a
// mark did not fail.
type Marks map[string]bool

// MarksOf returns the tools of which a call in the messages is marked as failed.
func MarksOf(messages []dialogue.Message) Marks {
	out := Marks{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if c.IsError {
				out[c.Name] = true
			}
		}
	}
	return out
}

// Runs returns the runs of a command in messages, in order. The command is given by words of its
// line: its program, and others in their order.
func (marks Marks) Runs(command string, messages []dialogue.Message) []Execution {
	wanted := wordsOf(command)
	if len(wanted) == 0 {
		return nil
	}
	var out []Execution
	for i, m := range messages {
		for _, c := range m.ToolCalls {
			did := c.Deed()
			line := did.Command
			if line == "" || did.Changes || refused(c) {
				continue
			}
			for _, r := range runsIn(line, wanted) {
				output := withoutEcho(clippedOutput(textIn(c.Result)), line)
				r.Message = i
				if r.Folder == "" {
					r.Folder = c.Folder()
				}
				if r.Outcome = marks.outcome(c, output, r.last); r.Outcome == Failed {
					r.Failure = failureLine(output)
				}
				out = append(out, r.Execution)
			}
		}
	}
	return out
}

// wordsOf returns the words of a wanted command, without quotes.
func wordsOf(command string) (out []string) {
	for _, p := range shellParts(command) {
		out = append(out, p.words...)
	}
	return out
}

// foundRun is a run in a call's command.
type foundRun struct {
	Execution
	// last means that the call fails if the run does: nothing but what depends on it follows.
	last bool
}

// runsIn returns the runs of the wanted command in a call's command, one for each list of commands
// that && and | connect.
func runsIn(input string, wanted []string) (out []foundRun) {
	parts := shellParts(input)
	folder := ""
	for first := 0; first < len(parts); {
		end := first
		for end+1 < len(parts) && parts[end].after != ";" {
			end++
		}
		for first < end && isCD(parts[first]) {
			folder = parts[first].words[1]
			first++
		}
		for k := first; k <= end; k++ {
			p := parts[k]
			if text, ok := script(p.words); ok && text != input {
				if inner := runsIn(text, wanted); len(inner) > 0 {
					out = append(out, inner...)
					break
				}
			}
			at := uses(p.words, wanted)
			if at < 0 {
				continue
			}
			r := foundRun{Execution: Execution{Line: input[parts[first].start:parts[end].end], Folder: folder, Kind: kindOf(p.words[at:])}, last: true}
			for _, q := range parts[k : len(parts)-1] {
				r.last = r.last && q.after == "&&"
			}
			if len(r.Line) > longestLineOfCommand {
				r.Line = input[p.start:p.end]
			}
			if len(r.Line) <= longestLineOfCommand {
				out = append(out, r)
			}
			break
		}
		if isCD(parts[end]) {
			folder = parts[end].words[1]
		}
		first = end + 1
	}
	return out
}

func isCD(p shellPart) bool { return len(p.words) == 2 && p.words[0] == "cd" }

// kindWords is the most words of a kind: npm run test, cloud server start.
const kindWords = 3

// kindOf returns the kind of a simple command that begins with its program.
func kindOf(words []string) string {
	n := 1
	for n < min(kindWords, len(words)) && plainWord.MatchString(words[n]) {
		n++
	}
	return strings.Join(words[:n], " ")
}

// plainWord matches the name of a subcommand: no option, number or file.
var plainWord = regexp.MustCompile(`^[A-Za-z][\w:-]*$`)

// AsksForHelp reports whether a run only printed how the program is used.
func (e *Execution) AsksForHelp() bool {
	words := wordsOf(e.Line)
	return slices.Contains(words, "--help") || slices.Contains(words, "-h")
}

// shortestEcho is the least size in bytes of a line that counts as repeating the command: a shorter
// one, as of "|| echo FAILED", is an answer.
const shortestEcho = 10

// withoutEcho returns the lines of a terminal's output that do not repeat the command.
func withoutEcho(output, command string) string {
	var out strings.Builder
	for line := range strings.Lines(output) {
		if text := strings.TrimSpace(line); len(text) < shortestEcho || !strings.Contains(command, text) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// refused reports whether a call was not carried out: the host or the person refused it.
func refused(c dialogue.ToolCall) bool {
	output := textIn(c.Result)
	return strings.HasPrefix(output, misuse) || c.IsError && refusal.MatchString(output)
}

// refusal matches what hosts answer for a call that the person or a rule of theirs did not allow.
var refusal = regexp.MustCompile(`^(The user doesn't want to|Permission to use|\S* hook error|User rejected|\[Request interrupted)`)

// outcome returns what came of a call's command; decides reports whether its status is the run's.
// The status of a command before a pipe or a semicolon is lost, so its output decides.
func (marks Marks) outcome(c dialogue.ToolCall, output string, decides bool) Outcome {
	switch {
	case len(c.Result) == 0 || string(c.Result) == "null" || inBackground.MatchString(output):
		return Unknown
	case decides && c.IsError:
		return Failed
	case decides && marks[c.Name]:
		return Passed
	}
	if list := exitStatus.FindAllStringSubmatch(output, -1); list != nil {
		if list[len(list)-1][1] == "0" {
			return Passed
		}
		return Failed
	}
	counted := false
	for line := range strings.Lines(output) {
		for _, m := range failureCount.FindAllStringSubmatch(line, -1) {
			if strings.Trim(m[1], "0") != "" && !isShown(line) {
				return Failed
			}
			counted = true
		}
	}
	switch {
	case counted:
		return Passed
	case failureIn(output):
		return Failed
	case strings.TrimSpace(output) == "" && !decides:
		return Unknown
	}
	return Passed
}

var (
	// inBackground matches the answer of a host that does not wait for a command.
	inBackground = regexp.MustCompile(`^Command (is )?running in (the )?background`)
	// exitStatus matches a line that prints a program's status.
	exitStatus = regexp.MustCompile(`(?im)^\W*(?:exit(?:ed)?(?: with)?(?: code| status)?|rc|status)[ :=]+(\d{1,3})\W*$`)
	// warning matches a line of a linter that is no failure.
	warning = regexp.MustCompile(`(?i)^\S*\s*warning\b`)
	// failureCount matches how many tests failed, as runners count them.
	failureCount = regexp.MustCompile(`(?i)(?:^|[\s(,])(\d+) (?:tests? |specs? )?(?:fail(?:ed|ing|ures?)?|errors?)\b`)
)

// failureLine returns the line of an output that says best what failed.
func failureLine(output string) (best string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || len(line) > longestLine || warning.MatchString(line):
		case saysWhy(line):
			return line
		case best == "" && (isReason(line) || failureCount.MatchString(line) && !isShown(line)):
			best = line
		}
	}
	return best
}
