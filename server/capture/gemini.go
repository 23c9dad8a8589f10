package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Gemini CLI keeps a chat as one JSON document or, since late 2025, as lines: the head, messages,
// and changes ($set, $rewindTo). A message is written again when the results of its tools arrive.
// Messages that were rewound are kept, since they were said.

func geminiPlaces(e Environment) []place {
	dir := e.under("GEMINI_CLI_HOME", "")
	if dir == "" {
		return nil
	}
	return []place{{dir: filepath.Join(dir, ".gemini", "tmp"), depth: 3, match: func(rel string) bool {
		return strings.Contains(rel, "/chats/") && (strings.HasSuffix(rel, ".json") || strings.HasSuffix(rel, ".jsonl"))
	}, near: others("logs.json", "shell_history", "*.md")}}
}

// geminiHint finds the working directory: from a file in the project's folder, from the host's list
// of projects, or from the folder's name, which older versions made of a hash of the directory.
func geminiHint(e Environment, path string) hint {
	h := hint{session: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	dir := filepath.Dir(path)
	for filepath.Base(filepath.Dir(dir)) != "tmp" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".project_root")); err == nil && len(text) < 4096 {
		h.cwd = strings.TrimSpace(string(text))
		return h
	}
	project := filepath.Base(dir)
	roots := e.roots()
	var list struct {
		Projects map[string]string `json:"projects"` // names of folders by directory
	}
	if raw, err := readSmall(filepath.Join(dir, "..", "..", "projects.json")); err == nil && json.Unmarshal(raw, &list) == nil {
		for root, name := range list.Projects {
			if name == project {
				h.cwd = root
				return h
			}
			roots = append(slices.Clip(roots), root)
		}
	}
	if !geminiHash.MatchString(project) {
		return h
	}
	h.hash = project
	for _, root := range roots {
		if hashOfPath(root) == project {
			h.cwd = root
		}
	}
	return h
}

// geminiHash matches the name of a folder that is a hash.
var geminiHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

func hashOfPath(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// geminiDirectory matches the working directories that the host lists for the model.
var geminiDirectory = regexp.MustCompile(`(?m)(?:working in the directory: |^\s*- )(/[^\n]*?|[A-Za-z]:[\\/][^\n]*?)\s*$`)

// geminiHead holds a chat's own metadata.
type geminiHead struct {
	SessionID   string   `json:"sessionId"`
	StartTime   string   `json:"startTime"`
	Summary     string   `json:"summary"`
	Kind        string   `json:"kind"`
	Directories []string `json:"directories"`
}

type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp json.RawMessage `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Display   json.RawMessage `json:"displayContent"`
	Model     string          `json:"model"`
	Thoughts  []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result json.RawMessage `json:"result"`
		Status string          `json:"status"`
	} `json:"toolCalls"`
}

// geminiReader collects the messages of a chat.
type geminiReader struct {
	head geminiHead
	cwd  string
	hash string // of the working directory, if it is known by that only
	list []geminiMessage
	at   map[string]int // by id, in list
}

// geminiDocument parses a chat in either form.
func geminiDocument(r io.Reader, h hint, out *Found) {
	g := geminiReader{cwd: h.cwd, hash: h.hash, at: map[string]int{}}
	g.head.SessionID = h.session
	dec := json.NewDecoder(r)
	for n := 1; ; n++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			out.unknown("broken record", n) // the rest of a torn document is read after the next change
			break
		}
		g.record(raw, n, out)
	}
	g.emit(out)
}

func (g *geminiReader) record(raw json.RawMessage, n int, out *Found) {
	var l struct {
		geminiMessage
		geminiHead
		Messages []geminiMessage `json:"messages"`
		Set      *struct {
			geminiHead
			Messages []geminiMessage `json:"messages"`
		} `json:"$set"`
		RewindTo *string `json:"$rewindTo"`
	}
	if json.Unmarshal(raw, &l) != nil {
		out.unknown(malformed(raw), n)
		return
	}
	switch {
	case l.Set != nil:
		g.about(l.Set.geminiHead)
		g.add(l.Set.Messages...)
	case l.RewindTo != nil:
		out.skip("$rewindTo")
	case l.geminiHead.SessionID != "":
		g.about(l.geminiHead)
		g.add(l.Messages...)
	case l.ID != "" && l.Type != "":
		g.add(l.geminiMessage)
	default:
		out.unknown("record without id", n)
	}
}

func (g *geminiReader) about(h geminiHead) {
	if h.SessionID != "" {
		g.head.SessionID = h.SessionID
	}
	if h.Summary != "" {
		g.head.Summary = h.Summary
	}
	if h.Kind != "" {
		g.head.Kind = h.Kind
	}
	if len(h.Directories) > 0 {
		g.works(h.Directories[0])
	}
}

// works records the working directory, unless it is known or has another hash.
func (g *geminiReader) works(dir string) {
	if g.cwd == "" && (g.hash == "" || hashOfPath(dir) == g.hash) {
		g.cwd = dir
	}
}

// add adds messages; a message with a known id replaces its earlier state.
func (g *geminiReader) add(list ...geminiMessage) {
	for _, m := range list {
		if i, known := g.at[m.ID]; known {
			g.list[i] = m
			continue
		}
		g.at[m.ID] = len(g.list)
		g.list = append(g.list, m)
	}
}

func (g *geminiReader) emit(out *Found) {
	session := g.head.SessionID
	for _, m := range g.list {
		parts, _ := textsOf(m.Content)
		for _, context := range inside(strings.Join(parts, "\n"), []string{"session_context"}) {
			for _, d := range geminiDirectory.FindAllStringSubmatch(context, -1) {
				g.works(d[1])
			}
		}
	}
	about := Session{Cwd: g.cwd, Title: g.head.Summary}
	if g.cwd == "" && g.hash != "" {
		about.Unplaced = LeftUnplaced
	}
	out.about(session, about)
	for i, m := range g.list {
		when := timeOf(m.Timestamp)
		switch m.Type {
		case "user":
			g.user(session, m, when, out)
		case "gemini", "model":
			text, _ := textOf(m.Content)
			g.assistant(session, m, text, when, i == len(g.list)-1, out)
		case "info", "error", "warning":
			out.skip(m.Type)
		default:
			out.unknown("message of type "+m.Type, 0)
		}
	}
}

func (g *geminiReader) user(session string, m geminiMessage, when time.Time, out *Found) {
	parts, _ := textsOf(m.Content)
	if shown, ok := textsOf(m.Display); ok && !isBlank(strings.Join(shown, "")) {
		parts = shown // without the files that the host inserted
	}
	msg := dialogue.Message{ID: m.ID, At: when}
	if g.head.Kind == "subagent" {
		msg.Role, msg.Content = dialogue.System, strings.Join(parts, "\n\n")
		out.add(session, msg)
		return
	}
	out.say(Gemini, session, msg, parts...)
}

// geminiRuns are the states of a call that is still running.
var geminiRuns = []string{"validating", "scheduled", "executing", "awaiting_approval"}

func (g *geminiReader) assistant(session string, m geminiMessage, text string, when time.Time, last bool, out *Found) {
	msg := dialogue.Message{Role: dialogue.Assistant, ID: m.ID, Author: m.Model, Content: text, At: when}
	var thoughts []string
	for _, t := range m.Thoughts {
		thoughts = append(thoughts, strings.TrimSpace(t.Subject+"\n"+t.Description))
	}
	msg.Reasoning = strings.Join(thoughts, "\n\n")
	var open time.Duration
	if last {
		open = textSettles
	}
	for _, c := range m.ToolCalls {
		msg.ToolCalls = append(msg.ToolCalls, dialogue.ToolCall{
			Name: c.Name, Arguments: c.Args, Result: geminiResult(c.Result), IsError: c.Status == "error" || c.Status == "cancelled",
		})
		if slices.Contains(geminiRuns, c.Status) {
			open = callSettles
		}
	}
	if isBlank(text) && msg.Reasoning == "" && len(msg.ToolCalls) == 0 {
		return
	}
	out.Messages = append(out.Messages, Message{Session: session, Message: msg, open: open})
}

// geminiResult returns what a tool returned to the model, without the names that the model's
// interface wraps it in; anything else as it is.
func geminiResult(raw json.RawMessage) json.RawMessage {
	var parts []struct {
		Response *struct {
			Response struct {
				Output, Error string
			} `json:"response"`
		} `json:"functionResponse"`
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return raw
	}
	var texts []string
	for _, p := range parts {
		if p.Response == nil {
			return raw
		}
		texts = append(texts, p.Response.Response.Output+p.Response.Response.Error)
	}
	if text := strings.Join(texts, "\n"); text != "" {
		return jsonText(text)
	}
	return raw
}
