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

// policyOf returns the policy of a request, as the contract's directives state it.
func policyOf(method string, params json.RawMessage) policy {
	if method != methodExecute {
		return again
	}
	var p struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(params, &p) != nil {
		return again // it is refused as before
	}
	info, known := command.InfoOf(p.Command)
	switch {
	case !known || info.Writes == "":
		return again
	case info.Once.Holds(p.Arguments):
		return map[string]policy{"removed": removal, "notFound": onceNotFound, "exists": onceExists}[info.Once.Answer]
	case info.Idempotent.Holds(p.Arguments):
		return again
	}
	return never
}
