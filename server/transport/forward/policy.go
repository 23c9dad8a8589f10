package forward

import (
	"encoding/json"

	"github.com/contexture-dev/contexture/server/command"
)

// policy determines what happens to a request that was in progress when a daemon died.
type policy int

const (
	// again: it is sent again. It only reads, or is idempotent.
	again policy = iota
	// removal: it is sent again, and "not found" means that it was removed.
	removal
	// onceNotFound and onceExists: it is sent again, and that answer may mean that it was executed
	// before.
	onceNotFound
	onceExists
	// never: it is not sent again, since it may have been executed and is not idempotent.
	never
)

// changing are the commands that change memory and may be sent again. Other commands that change
// memory are never sent again.
var changing = map[string]policy{
	"contexture.conversation.turn":   again, // pins what is pinned
	"contexture.conversation.delete": removal,
	"contexture.conversation.fork":   onceExists,
	"contexture.task.unblock":        onceNotFound,
	"contexture.knowledge.delete":    removal,
	"contexture.knowledge.accept":    again,
	"contexture.knowledge.process":   again,
	"contexture.knowledge.steer":     onceNotFound, // what was merged or forgotten is not there any more
	"contexture.board.remove":        removal,
	"contexture.cabinet.get":         again, // a use is a time, not a count
	"contexture.cabinet.delete":      removal,
	"contexture.learned.reset":       again,
	"contexture.team.join":           again,
	"contexture.team.leave":          again,
	"contexture.team.share":          again,
	"contexture.team.sync":           again,
	"contexture.team.export":         again,
	"contexture.team.import":         again,
}

// excludeCommand changes a file of the workspace.
const excludeCommand = command.Prefix + "index.exclude"

var writesMemory = func() map[string]bool {
	out := map[string]bool{}
	for _, info := range command.Infos {
		out[info.Name] = info.Writes == "memory"
	}
	return out
}()

// policyOf returns the policy of a request.
func policyOf(method string, params json.RawMessage) policy {
	if method != methodExecute {
		return again
	}
	var p struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(params, &p) != nil || !writesMemory[p.Command] && p.Command != excludeCommand {
		return again // it is refused as before, or only reads
	}
	switch p.Command {
	case excludeCommand:
		var args struct {
			Remove bool `json:"remove"`
		}
		if len(p.Arguments) == 1 && json.Unmarshal(p.Arguments[0], &args) == nil && args.Remove {
			return onceNotFound
		}
		return again // adds only missing ones
	case "contexture.conversation.append":
		if identified(p.Arguments) {
			return again
		}
		return never
	case "contexture.knowledge.put":
		var args struct {
			ID string `json:"id"`
		}
		if len(p.Arguments) == 1 && json.Unmarshal(p.Arguments[0], &args) == nil && args.ID != "" {
			return again // replaces the item by an equal one
		}
		return never
	}
	if known, ok := changing[p.Command]; ok {
		return known
	}
	return never
}

// identified reports whether every message of an append has an id, by which the server adds it only
// once.
func identified(arguments []json.RawMessage) bool {
	var args struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if len(arguments) != 1 || json.Unmarshal(arguments[0], &args) != nil {
		return false
	}
	for _, m := range args.Messages {
		if m.ID == "" {
			return false
		}
	}
	return true
}
