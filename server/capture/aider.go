package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// aiderFile is the file to which aider appends its chats, in its working directory.
const aiderFile = ".aider.chat.history.md"

func aiderPlaces(e Environment) []place {
	only := func(rel string) bool { return rel == aiderFile }
	var out []place
	for _, root := range e.roots() {
		out = append(out, place{dir: root, match: only})
	}
	return out
}

func aiderHint(_ Environment, path string) hint { return hint{session: path, cwd: filepath.Dir(path)} }

// aiderParser parses aider's chats: Markdown in which the person's lines begin with "#### " and the
// program's own with "> ". Nothing in it has an id: a chat is identified by its start time and its
// file, a message by its line in the chat.
type aiderParser struct {
	File    string    `json:"file"` // a hash of its path
	Cwd     string    `json:"cwd"`
	Session string    `json:"session,omitempty"`
	Began   time.Time `json:"began,omitzero"`
	Line    int       `json:"line,omitempty"`  // in the chat
	Fence   string    `json:"fence,omitempty"` // that is open

	role  dialogue.Role // of what is being collected; "" for nothing
	first int           // its first line
	text  []string
}

func newAider(h hint) lineParser {
	sum := sha256.Sum256([]byte(h.session))
	return &aiderParser{File: hex.EncodeToString(sum[:4]), Cwd: h.cwd}
}

const (
	aiderStart  = "# aider chat started at "
	aiderPrompt = "#### "
)

// line implements lineParser.
func (p *aiderParser) line(raw []byte, at int, out *Found) {
	line := strings.TrimRight(string(raw), "\r")
	p.Line++
	if began, ok := strings.CutPrefix(line, aiderStart); ok && p.Fence == "" {
		p.begin(strings.TrimSpace(began), at, out)
		return
	}
	if p.Session == "" {
		if !isBlank(line) {
			out.unknown("text before the first chat", at)
		}
		return
	}
	if p.fence(line) {
		p.gather(dialogue.Assistant, line, out)
		return
	}
	switch prompt, typed := strings.CutPrefix(line, aiderPrompt); {
	case p.Fence != "":
		p.gather(p.inFence(), line, out)
	case typed || line == strings.TrimSpace(aiderPrompt):
		if prompt == "<blank>" {
			prompt = ""
		}
		p.gather(dialogue.User, prompt, out)
	case strings.HasPrefix(line, ">"):
		p.gather(dialogue.Tool, strings.TrimSpace(strings.TrimPrefix(line, ">")), out)
	case isBlank(line) && p.role != dialogue.Assistant:
		// a blank line belongs to an answer, or is ignored
	default:
		p.gather(dialogue.Assistant, line, out)
	}
}

// begin begins a chat.
func (p *aiderParser) begin(text string, at int, out *Found) {
	p.flush(out)
	name := strings.ReplaceAll(text, " ", "T")
	began, err := time.ParseInLocation(time.DateTime, text, time.UTC) // the log has no time zone
	if err != nil {
		out.unknown("chat without time", at)
		began, name = time.Time{}, textID("chat", text, time.Time{})
	}
	name += "-" + p.File
	if name == p.Session || strings.HasPrefix(p.Session, name+"-") { // begun within the same second
		n, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(p.Session, name), "-"))
		name += "-" + strconv.Itoa(max(n, 1)+1)
	}
	p.Session, p.Began, p.Line, p.Fence = name, began, 0, ""
	out.about(p.Session, Session{Cwd: p.Cwd})
}

// fence tracks fenced blocks, within which no line is a marker. It reports whether the line is a
// fence or lies in a block.
func (p *aiderParser) fence(line string) bool {
	mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	switch {
	case len(mark) < 3:
		return false
	case p.Fence == "":
		p.Fence = mark
		return true
	case len(mark) >= len(p.Fence) && isBlank(line[len(mark):]):
		p.Fence = ""
		return true
	}
	return false
}

// inFence is whose words a line in a fenced block is: those of whoever speaks.
func (p *aiderParser) inFence() dialogue.Role {
	if p.role == "" {
		return dialogue.Assistant
	}
	return p.role
}

// gather adds a line to what somebody says.
func (p *aiderParser) gather(role dialogue.Role, line string, out *Found) {
	if role != p.role {
		p.flush(out)
		p.role, p.first = role, p.Line
	}
	p.text = append(p.text, line)
}

// flush implements lineParser.
func (p *aiderParser) flush(out *Found) {
	text := strings.TrimSpace(strings.Join(p.text, "\n"))
	if p.role != "" && text != "" {
		m := dialogue.Message{Role: p.role, ID: "line-" + strconv.Itoa(p.first), Content: text, At: p.Began}
		if p.role == dialogue.User {
			out.say(Aider, p.Session, m, text)
		} else {
			out.add(p.Session, m)
		}
	}
	p.role, p.text = "", nil
}

// waits implements lineParser.
func (p *aiderParser) waits() bool { return p.role != "" }
