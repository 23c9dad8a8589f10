package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
)

// actFields are the types of recall that contexture.act answers, with its field for the query.
var actFields = map[string]string{"blame": "path", "how": "command", "fix": "output"}

// actLimit is the number of statements or command lines in an answer.
const actLimit = 8

// locationText matches FILE:LINE and FILE:LINE:COLUMN.
var locationText = regexp.MustCompile(`^(.+?):([1-9]\d{0,8})(?::\d+)?$`)

// actArgs returns the arguments of contexture.act for those of recall.
func actArgs(recall map[string]json.RawMessage, field string) (map[string]json.RawMessage, error) {
	var query string
	if recall["query"] == nil || recall["expand"] != nil || json.Unmarshal(recall["query"], &query) != nil || strings.TrimSpace(query) == "" {
		return nil, command.InvalidParams("query", "is required with type blame (a file), how (a command) or fix (an error), and id is not taken")
	}
	out := map[string]json.RawMessage{"limit": json.RawMessage(strconv.Itoa(actLimit))}
	if field == "path" {
		if m := locationText.FindStringSubmatch(query); m != nil {
			line, _ := strconv.Atoi(m[2]) // it has at most nine digits
			query = m[1]
			out["position"] = json.RawMessage(fmt.Sprintf(`{"line":%d,"character":0}`, line-1))
		}
		out["moved"] = json.RawMessage("true")
	}
	raw, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	out[field] = raw
	if w := recall["workspace"]; w != nil {
		out["workspace"] = w
	}
	return out, nil
}

// showAct formats what was stated about a file or a failure, or how a command was run.
func showAct(a reply) (string, error) {
	var r command.ActResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	var blocks []string
	source := func(conversation, turn, date string) string {
		text := ""
		if turn != "" {
			text = fmt.Sprintf(", turn %s of %q", turn, conversation)
		}
		if date != "" {
			text += ", " + date
		}
		return text
	}
	for _, s := range r.Statements {
		head := strings.ToUpper(s.Kind[:1]) + s.Kind[1:] + source(s.ConversationID, s.TurnID, s.Date)
		if m := s.Moved; m != nil {
			head += fmt.Sprintf(" (the file changed in %s since, last %s: %s)", several(m.Commits, "commit"), m.Date, clipped(oneLine(m.Subject)))
		}
		blocks = append(blocks, head+"\n"+fenced(s.Text, ""))
	}
	for _, run := range r.Runs {
		head := "Ran " + several(run.Times, "time") + ", failed " + several(run.Failures, "time") + ", last " + run.Outcome + source(run.ConversationID, run.TurnID, run.Date)
		text := run.Command
		if run.Folder != "" {
			text += "\n# in " + oneLine(run.Folder)
		}
		if run.Failure != "" {
			text += "\n# failed with: " + run.Failure
		}
		if p := run.Passed; p != nil && p.Command != run.Command {
			text += "\n# then passed in " + p.TurnID + ": " + p.Command
		}
		blocks = append(blocks, head+"\n"+fenced(text, ""))
	}
	more := lack(r.Degraded)
	if len(blocks) == 0 {
		more = append(more, "Nothing is remembered about "+strconv.Quote(clipped(oneLine(a.text("query"))))+" by type "+a.text("type")+"; without a type, all of memory is searched.")
	}
	if r.MoreRuns {
		more = append(more, "There is more: further words of the command narrow it.")
	}
	return strings.TrimRight(strings.Join(append(blocks, closing(more...)), "\n"), "\n"), nil
}
