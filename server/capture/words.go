package capture

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/hosts/answer"
)

// Hosts log as a person's message much that no person has written: reminders, the state of an
// editor, the answers of hooks, messages of other agents, the output of commands. They put it into
// elements such as <system-reminder>. This file decides, for all sources, whose words a part of
// such a message is.

// origin is whose words an element holds.
type origin byte

const (
	ofHost   origin = iota + 1 // context that the host or a hook adds; left out
	ofOthers                   // what another agent, a channel or the host says in place of a prompt
	ofTool                     // output
	ofPerson                   // the person's words, wrapped
	ofName                     // a slash command that the person typed
	ofArgs                     // its arguments
	ofShell                    // a shell command that the person typed
)

// elements holds the elements that hosts write into a person's message.
var elements = map[string]origin{
	// Claude Code
	"system-reminder": ofHost, "local-command-caveat": ofHost, "user-prompt-submit-hook": ofHost, "post-tool-use-hook": ofHost,
	"session-start-hook": ofHost, "ide_opened_file": ofHost, "ide_selection": ofHost, "ide_diagnostics": ofHost, "new-diagnostics": ofHost,
	"command-message": ofHost, "command-contents": ofHost, "persisted-output": ofHost,
	"command-name": ofName, "command-args": ofArgs, "bash-input": ofShell, "user-memory-input": ofPerson,
	"local-command-stdout": ofTool, "local-command-stderr": ofTool, "bash-stdout": ofTool, "bash-stderr": ofTool,
	"task-notification": ofOthers, "teammate-message": ofOthers, "cross-session-message": ofOthers, "agent-notification": ofOthers,
	"agent-message": ofOthers, "subagent-message": ofOthers,
	// Codex
	"environment_context": ofHost, "user_instructions": ofHost, "INSTRUCTIONS": ofHost, "turn_aborted": ofHost, "hook_prompt": ofHost,
	"extension_context": ofHost, "goal_context": ofHost, "codex_internal_context": ofHost, "collaboration_mode": ofHost,
	"apps_instructions": ofHost, "skills_instructions": ofHost, "plugins_instructions": ofHost, "recommended_plugins": ofHost,
	"model_switch": ofHost, "personality_spec": ofHost, "token_budget": ofHost, "subagent_notification": ofOthers,
	"user_shell_command": ofTool,
	// Gemini CLI
	"session_context": ofHost, "loaded_context": ofHost, "hook_context": ofHost, "state_snapshot": ofOthers,
	// Cline and Roo Code
	"environment_details": ofHost, "explicit_instructions": ofHost, "file_content": ofHost, "folder_content": ofHost, "url_content": ofHost,
	"file_mentions": ofHost, "final_file_content": ofHost, "git_commit": ofHost, "git_working_state": ofHost, "workspace_diagnostics": ofHost,
	"terminal_output": ofHost, "mode_notice": ofHost,
	// Cursor
	"system_reminder": ofHost, "system_notification": ofOthers, "user_info": ofHost, "attached_files": ofHost, "git_status": ofHost,
	"open_and_recently_viewed_files": ofHost, "manually_attached_skills": ofHost, "agent_skills": ofHost, "project_layout": ofHost,
}

// wholes holds those elements whose names people use too: they are a host's only where one is a
// whole part of a message.
var wholes = map[string]origin{"skill": ofHost, "permissions": ofHost, "tick": ofHost, "channel": ofOthers}

// wrappers lists for a source the elements in which its host wraps what a person typed. In a part
// that has one, everything else is the host's.
var wrappers = map[string][]string{
	Cline:  {"task", "feedback", "user_message", "user_input", "answer"},
	Roo:    {"task", "feedback", "user_message", "answer"},
	Cursor: {"user_query"},
}

// openings holds the beginnings of parts that a host writes without an element.
var openings = []struct {
	text    string
	of      origin
	sources []string // nil = all
}{
	{"[Request interrupted by user", ofOthers, nil},
	{"This session is being continued from a previous conversation that ran out of context", ofOthers, nil},
	{"Another language model started to solve this problem and produced a summary", ofOthers, nil},
	{"# AGENTS.md instructions", ofHost, []string{Codex}},
	{"[TASK RESUMPTION]", ofOthers, []string{Cline, Roo}},
	{"[ERROR]", ofOthers, []string{Cline, Roo}},
}

// codexRequest precedes the person's words in a part to which an editor added its context.
const codexRequest = "## My request for Codex:"

// words returns whose words the parts of a person's message are, and the words: the person's if the
// person said anything, else those that others said in the person's place, else a command's output.
// The role is "" if nothing is left, because all of it is the host's.
func words(source string, parts ...string) (role dialogue.Role, text string) {
	var s speech
	for _, part := range parts {
		s.part(source, part)
	}
	switch {
	case !isBlank(s.name) && isBlank(s.args) && len(s.own) == 0: // it asks the host, not the assistant
		return "", ""
	case !isBlank(s.name):
		s.own = append([]string{strings.TrimSpace(strings.TrimSpace(s.name) + " " + strings.TrimSpace(s.args))}, s.own...)
	}
	for _, said := range []struct {
		role  dialogue.Role
		texts []string
	}{{dialogue.User, s.own}, {dialogue.System, s.others}, {dialogue.Tool, s.output}} {
		if len(said.texts) > 0 {
			return said.role, strings.Join(said.texts, "\n\n")
		}
	}
	return "", ""
}

// speech collects the words of a message by whose they are.
type speech struct {
	own, others, output []string
	name, args          string // of a slash command
}

func (s *speech) add(of origin, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	switch of {
	case ofPerson:
		if text = strings.TrimSpace(answer.Without(text)); text != "" {
			s.own = append(s.own, text)
		}
	case ofOthers:
		s.others = append(s.others, text)
	case ofTool:
		s.output = append(s.output, text)
	case ofName:
		s.name = text
	case ofArgs:
		s.args = text
	case ofShell:
		s.own = append(s.own, "! "+text)
	}
}

// bareCommand matches a slash command without arguments.
var bareCommand = regexp.MustCompile(`^/[A-Za-z][\w:.-]*$`)

// part adds a part of a message.
func (s *speech) part(source, text string) {
	if _, request, ok := strings.Cut(text, codexRequest); ok && source == Codex {
		text = request
	}
	if own := inside(text, wrappers[source]); len(own) > 0 {
		for _, words := range own {
			s.unwrapped(words)
		}
		return
	}
	trimmed := strings.TrimSpace(text)
	for _, o := range openings {
		if strings.HasPrefix(trimmed, o.text) && (o.sources == nil || slices.Contains(o.sources, source)) {
			s.add(o.of, trimmed)
			return
		}
	}
	s.unwrapped(text)
}

// inside returns the contents of the elements with one of the names.
func inside(text string, names []string) (out []string) {
	if len(names) == 0 {
		return nil
	}
	for _, e := range elementsOf(text, func(name string) bool { return slices.Contains(names, name) }) {
		out = append(out, text[e.inner:e.innerEnd])
	}
	return out
}

// unwrapped adds a text that is the person's except for the host's elements in it.
func (s *speech) unwrapped(text string) {
	before := len(s.others) + len(s.output)
	named := s.name
	var rest strings.Builder
	at := 0
	for _, e := range elementsOf(text, func(name string) bool { return elements[name] != 0 || wholes[name] != 0 }) {
		of := elements[e.name]
		if of == 0 {
			if of = wholes[e.name]; !isBlank(text[:e.start]) || !isBlank(text[e.end:]) {
				continue
			}
		}
		rest.WriteString(text[at:e.start])
		s.add(of, text[e.inner:e.innerEnd])
		at = e.end
	}
	rest.WriteString(text[at:])
	left := strings.TrimSpace(rest.String())
	switch {
	case s.name != named: // what follows a command is its expansion
	case bareCommand.MatchString(left):
		s.add(ofName, left)
	case len(s.others)+len(s.output) > before && isLeadIn(left): // "Another Claude session sent a message:"
	default:
		s.add(ofPerson, left)
	}
}

// isLeadIn reports whether a text only introduces what another one says: one line that ends in a
// colon.
func isLeadIn(text string) bool {
	return strings.HasSuffix(text, ":") && !strings.Contains(text, "\n")
}

// element is an element in a text, by offsets.
type element struct {
	name                        string
	start, inner, innerEnd, end int
}

// elementsOf returns the outermost closed elements of a text with a wanted name, in order. Elements
// in code are the text's own: those in a fenced block, and those after a backtick. It takes time
// linear in the text.
func elementsOf(text string, wanted func(name string) bool) []element {
	s := elementScanner{opened: map[string]int{}}
	fenced, begins := false, true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if begins && len(s.open) == 0 && strings.HasPrefix(text[i:], "```") {
			fenced = !fenced
		}
		begins = c == '\n' || begins && (c == ' ' || c == '\t')
		if c != '<' {
			continue
		}
		name, isEnd := tagAt(text[i:])
		inCode := fenced || i > 0 && text[i-1] == '`'
		if name == "" || !wanted(name) || isEnd && s.opened[name] == 0 || !isEnd && inCode {
			continue
		}
		shut := strings.IndexByte(text[i:], '>')
		if shut < 0 {
			break
		}
		end := i + shut + 1
		if isEnd {
			s.close(name, i, end)
		} else if text[end-2] != '/' { // an empty one holds nothing
			s.begin(element{name: name, start: i, inner: end})
		}
		i = end - 1
	}
	return s.closed
}

// tagAt returns the name of the tag with which a text begins, and whether it ends an element; ""
// for anything else.
func tagAt(text string) (name string, isEnd bool) {
	tag, isEnd := strings.CutPrefix(text[1:], "/")
	return elementName(tag), isEnd
}

// elementScanner holds the elements of a text until now.
type elementScanner struct {
	closed []element // the outermost ones
	open   []element
	opened map[string]int // how many of open have a name
}

func (s *elementScanner) begin(e element) {
	s.open = append(s.open, e)
	s.opened[e.name]++
}

// close closes the last open element of a name, which exists. Elements within it that are not
// closed are text.
func (s *elementScanner) close(name string, innerEnd, end int) {
	var e element
	for e.name != name {
		e = s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.opened[e.name]--
	}
	e.innerEnd, e.end = innerEnd, end
	for len(s.closed) > 0 && s.closed[len(s.closed)-1].start > e.start {
		s.closed = s.closed[:len(s.closed)-1]
	}
	s.closed = append(s.closed, e)
}

// elementName returns the name with which a tag begins, after its bracket.
func elementName(tag string) string {
	n := 0
	for n < len(tag) && (tag[n] == '-' || tag[n] == '_' || tag[n] >= 'a' && tag[n] <= 'z' || tag[n] >= 'A' && tag[n] <= 'Z' || n > 0 && tag[n] >= '0' && tag[n] <= '9') {
		n++
	}
	if n == len(tag) || strings.IndexByte(" \t\r\n>/", tag[n]) < 0 {
		return ""
	}
	return tag[:n]
}
