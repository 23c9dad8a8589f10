package forward

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
)

// kept is the state that the editor has from the sessions so far. All of it except the progress
// applies to later sessions too.
type kept struct {
	registered map[string]bool            // ids of registrations
	progress   map[string]json.RawMessage // tokens of unfinished progress, by their text
	order      []string                   // of their beginning
	shown      map[string]bool            // parameters of messages to the user
}

func newKept() kept {
	return kept{registered: map[string]bool{}, progress: map[string]json.RawMessage{}, shown: map[string]bool{}}
}

// registrations returns the ids in the parameters of registerCapability.
func registrations(params json.RawMessage) []string {
	var p struct {
		Registrations []struct {
			ID string `json:"id"`
		} `json:"registrations"`
	}
	_ = json.Unmarshal(params, &p) // empty on an error
	out := make([]string, len(p.Registrations))
	for i, r := range p.Registrations {
		out[i] = r.ID
	}
	return out
}

func (k *kept) registeredAll(ids []string) {
	for _, id := range ids {
		k.registered[id] = true
	}
}

// hasAll reports whether ids is not empty and the editor has all of them.
func (k *kept) hasAll(ids []string) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return !k.registered[id] })
}

// progressed records the parameters of $/progress, with the editor's token.
func (k *kept) progressed(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	token := string(p.Token)
	switch p.Value.Kind {
	case "begin":
		if k.progress[token] == nil {
			k.order = append(k.order, token)
		}
		k.progress[token] = p.Token
	case "end":
		delete(k.progress, token)
		k.order = slices.DeleteFunc(k.order, func(t string) bool { return t == token })
	}
}

// endProgress returns messages that end all progress, and discards it.
func (k *kept) endProgress() []jsonrpc2.Message {
	var out []jsonrpc2.Message
	for _, token := range k.order {
		params := `{"token":` + token + `,"value":{"kind":"end"}}`
		out = append(out, jsonrpc2.NewNotification(methodProgress, jsonrpc2.RawMessage(params)))
	}
	k.progress, k.order = map[string]json.RawMessage{}, nil
	return out
}

// maxShown bounds the number of messages that are remembered.
const maxShown = 1000

// show records a message to the user; it reports whether it was shown before.
func (k *kept) show(params json.RawMessage) bool {
	text := string(params)
	if k.shown[text] {
		return true
	}
	if len(k.shown) < maxShown {
		k.shown[text] = true
	}
	return false
}
