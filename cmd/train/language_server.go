package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// textPosition is a position in a file as the language server protocol counts it, for text of the
// basic plane.
type textPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// languageServer is a language server under way. Its methods are not safe for concurrent use.
type languageServer struct {
	root    string
	process *exec.Cmd
	in      io.WriteCloser
	replies chan serverMessage
	last    int
	opened  map[string]bool
	lines   map[string][]string
	defined map[textPlace]textPlace // what the names at positions mean, as far as it was asked
}

// textPlace is a position in a file.
type textPlace struct {
	URI string
	At  textPosition
}

// serverPlace is a place in an answer.
type serverPlace struct {
	URI   string
	Range struct{ Start, End textPosition }
	Maybe bool // an addition of cmd/train/javac
}

// serverMessage is a message of either direction.
type serverMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// serverWait bounds the time for one answer: the first one includes loading the workspace.
const serverWait = 5 * time.Minute

// startServer starts a language server with initialization options: a JSON object, "" for those
// that every server is given.
func startServer(command, options, root string) (*languageServer, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("references: -server is required to make the file of answers")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := &languageServer{root: root, process: exec.Command(words[0], words[1:]...), replies: make(chan serverMessage, 64), opened: map[string]bool{}, lines: map[string][]string{}, defined: map[textPlace]textPlace{}}
	s.process.Dir = root
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go s.read(bufio.NewReader(out))
	// The server for syntax would answer before all files are read.
	given := map[string]any{"tsserver": map[string]any{"useSyntaxServer": "never"}}
	if options != "" {
		if err := json.Unmarshal([]byte(options), &given); err != nil {
			return nil, fmt.Errorf("references: -options: %w", err)
		}
	}
	folder := map[string]any{"uri": s.uri(""), "name": filepath.Base(root)}
	err = s.ask("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": s.uri(""), "workspaceFolders": []any{folder},
		"initializationOptions": given,
		"capabilities":          map[string]any{"workspace": map[string]any{"workspaceFolders": true, "configuration": true}},
	}, nil)
	if err != nil {
		return nil, err
	}
	return s, s.send(serverMessage{Method: "initialized", Params: json.RawMessage("{}")})
}

// read passes on the replies, until the server ends.
func (s *languageServer) read(r *bufio.Reader) {
	defer close(s.replies)
	for {
		size := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.Atoi(n)
			}
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m serverMessage
		if json.Unmarshal(body, &m) == nil {
			s.replies <- m
		}
	}
}

func (s *languageServer) stop() {
	_ = s.in.Close()
	_ = s.process.Process.Kill()
	for range s.replies {
		continue // until it has ended
	}
	_ = s.process.Wait()
}

func (s *languageServer) send(m serverMessage) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// ask sends a request and waits for its result. What the server asks meanwhile has no answer but
// null.
func (s *languageServer) ask(method string, params, result any) error {
	s.last++
	id := json.RawMessage(strconv.Itoa(s.last))
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if err := s.send(serverMessage{ID: id, Method: method, Params: body}); err != nil {
		return err
	}
	late := time.After(serverWait)
	for {
		select {
		case <-late:
			return fmt.Errorf("%s: no answer", method)
		case m, ok := <-s.replies:
			switch {
			case !ok:
				return fmt.Errorf("%s: the server ended", method)
			case m.Method != "" && m.ID != nil:
				if err := s.send(serverMessage{ID: m.ID, Result: nullFor(m)}); err != nil {
					return err
				}
			case string(m.ID) != string(id):
			case m.Error != nil:
				return fmt.Errorf("%s: %s", method, m.Error.Message)
			case result == nil:
				return nil
			default:
				return json.Unmarshal(m.Result, result)
			}
		}
	}
}

// nullFor returns the result for a request of the server: one null for each item of configuration.
func nullFor(m serverMessage) json.RawMessage {
	var asked struct{ Items []any }
	if m.Method == "workspace/configuration" && json.Unmarshal(m.Params, &asked) == nil {
		return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("null,", len(asked.Items)), ",") + "]")
	}
	return json.RawMessage("null")
}

func (s *languageServer) uri(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(s.root, path)}).String()
}

// languageIDs are the protocol's names of languages by the extension of a file.
var languageIDs = map[string]string{
	".go": "go", ".ts": "typescript", ".tsx": "typescriptreact", ".js": "javascript", ".py": "python", ".java": "java", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
}

func (s *languageServer) open(path string) error {
	if s.opened[path] {
		return nil
	}
	s.opened[path] = true
	params, err := json.Marshal(map[string]any{"textDocument": map[string]any{
		"uri": s.uri(path), "languageId": languageIDs[filepath.Ext(path)], "version": 1, "text": strings.Join(s.text(path), "\n"),
	}})
	if err != nil {
		return err
	}
	return s.send(serverMessage{Method: "textDocument/didOpen", Params: params})
}

// text returns the lines of a file.
func (s *languageServer) text(path string) []string {
	if s.lines[path] == nil {
		b, _ := os.ReadFile(filepath.Join(s.root, path))
		s.lines[path] = strings.Split(string(b), "\n")
	}
	return s.lines[path]
}

// callAfter matches what follows the name in a call.
var callAfter = regexp.MustCompile(`^(?:\?\.|!|::)?\s*(?:<[^()]*>|\[[^()]*\])?\(`)

// An object may be made without brackets where fields of it are set.
var (
	makes       = regexp.MustCompile(`\bnew\s+[\w.]*$`)
	initializes = regexp.MustCompile(`^(?:<[^()]*>)?\s*(?:\{|$)`)
)

// declares matches what precedes the name of a function that is declared again.
var declares = regexp.MustCompile(`\b(?:def|function|func|fn)\s+$|\bvirtual\s[^=(]*$`)

// A method of JavaScript is declared where nothing but modifiers precedes its name, and a type or a
// body follows its parameters.
var (
	modifiers   = regexp.MustCompile(`^\s*(?:(?:async|static|public|private|protected|override|abstract|get|set)\s+|\*\s*)*$`)
	methodAfter = regexp.MustCompile(`^\??(?:<[^()]*>)?\((?:[^()]|\([^()]*\))*\)\s*(?::|\{\s*$)`)
)

// typeWord matches a line that defines a type, maybe in a list of Go's.
var typeWord = regexp.MustCompile(`^\s*(?:[\w@()]+\s+)*?(?:impl\b|(?:class|interface|struct|type|enum|trait|record|union)\b[\s<]+\w|\w+\s+(?:struct|interface)\b)`)

// answer fills in the answer: the lines that call what is defined at the positions, or those where
// its implementations have their names.
func (s *languageServer) answer(q *referenceQuestion) error {
	if err := s.open(q.Path); err != nil {
		return err
	}
	method, calls := "textDocument/implementation", q.Kind == "callers"
	if calls {
		method = "textDocument/references"
	}
	for _, at := range q.At {
		var found []serverPlace
		err := s.ask(method, map[string]any{
			"textDocument": map[string]any{"uri": s.uri(q.Path)}, "position": at, "context": map[string]any{"includeDeclaration": false},
		}, &found)
		if err != nil {
			return err
		}
		if calls && languageIDs[filepath.Ext(q.Path)] == "rust" {
			if found, err = s.withTrait(q.Path, at, found); err != nil {
				return err
			}
		}
		for _, f := range found {
			u, err := url.Parse(f.URI)
			if err != nil {
				return err
			}
			path, err := filepath.Rel(s.root, u.Path)
			if err != nil || !filepath.IsLocal(path) {
				continue // of a library
			}
			line := lineOf{filepath.ToSlash(path), f.Range.Start.Line}
			if calls {
				lines := s.text(path)
				end := f.Range.End
				if end.Line >= len(lines) {
					continue
				}
				if !isCall(before(lines[end.Line], f.Range.Start.Character), after(lines[end.Line], end.Character)) {
					continue
				}
				line.Line = end.Line
			} else if line.Path == q.Path && line.Line == at.Line {
				continue // itself
			} else if lines := s.text(path); line.Line >= len(lines) || !typeWord.MatchString(lines[line.Line]) {
				continue // a value
			}
			list := &q.Answer
			if f.Maybe {
				list = &q.Open
			}
			if !slices.Contains(*list, line) {
				*list = append(*list, line)
			}
		}
	}
	return nil
}

// isCall reports whether a name between two parts of a line is called there, or made an element of.
func isCall(front, rest string) bool {
	isMethod := modifiers.MatchString(front) && methodAfter.MatchString(rest)
	return (callAfter.MatchString(rest) || strings.HasSuffix(front, "<") || makes.MatchString(front) && initializes.MatchString(rest)) && !declares.MatchString(front) && !isMethod
}

// after returns a line without its first characters.
func after(line string, characters int) string {
	runes := []rune(line)
	return string(runes[min(characters, len(runes)):])
}

// before returns the first characters of a line.
func before(line string, characters int) string {
	runes := []rune(line)
	return string(runes[:min(characters, len(runes))])
}

// withTrait adds to the uses of a method of Rust those that mean its trait's method, which may run
// it. Of a method that belongs to no trait, or that is the trait's, there are none.
func (s *languageServer) withTrait(path string, at textPosition, found []serverPlace) ([]serverPlace, error) {
	own := textPlace{s.uri(path), at}
	of, err := s.meant("textDocument/declaration", own)
	if err != nil || of == own || of.URI == "" {
		return found, err
	}
	var uses []serverPlace
	err = s.ask("textDocument/references", map[string]any{
		"textDocument": map[string]any{"uri": of.URI}, "position": of.At, "context": map[string]any{"includeDeclaration": false},
	}, &uses)
	if err != nil {
		return nil, err
	}
	for _, u := range uses {
		if slices.Contains(found, u) {
			continue
		}
		place := textPlace{u.URI, u.Range.Start}
		to, known := s.defined[place]
		if !known {
			if to, err = s.meant("textDocument/definition", place); err != nil {
				return nil, err
			}
			s.defined[place] = to
		}
		if to == of {
			u.Maybe = true
			found = append(found, u)
		}
	}
	return found, nil
}

// meant returns where a server finds the definition or declaration of what is at a place, the zero
// value for nowhere.
func (s *languageServer) meant(method string, at textPlace) (textPlace, error) {
	var found []serverPlace
	err := s.ask(method, map[string]any{"textDocument": map[string]any{"uri": at.URI}, "position": at.At}, &found)
	if err != nil || len(found) == 0 {
		return textPlace{}, err
	}
	return textPlace{found[0].URI, found[0].Range.Start}, nil
}
