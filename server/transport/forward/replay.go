package forward

import (
	"encoding/json"

	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/protocol"
)

// Methods that the forwarder handles.
const (
	methodInitialize = protocol.MethodInitialize
	methodShutdown   = protocol.MethodShutdown
	methodExit       = protocol.MethodExit
	methodCancel     = protocol.MethodCancelRequest
	methodGreeting   = protocol.MethodInitialized
	methodOpen       = protocol.MethodTextDocumentDidOpen
	methodChange     = protocol.MethodTextDocumentDidChange
	methodClose      = protocol.MethodTextDocumentDidClose
	methodSave       = protocol.MethodTextDocumentDidSave
	methodSettings   = protocol.MethodWorkspaceDidChangeConfiguration
	methodFolders    = protocol.MethodWorkspaceDidChangeWorkspaceFolders
	methodWatched    = protocol.MethodWorkspaceDidChangeWatchedFiles
	methodRenamed    = protocol.MethodWorkspaceDidRenameFiles
	methodExecute    = protocol.MethodWorkspaceExecuteCommand
	methodProgress   = protocol.MethodProgress
	methodToken      = protocol.MethodWindowWorkDoneProgressCreate
	methodShow       = protocol.MethodWindowShowMessage
	methodRegister   = protocol.MethodClientRegisterCapability
)

// message is a notification.
type message struct {
	method string
	params json.RawMessage
}

// replay holds the messages that restore the editor's state in a new session.
type replay struct {
	begun      bool               // initialize was sent and not refused
	accepted   bool               // it was answered
	initialize json.RawMessage    // its parameters
	units      transport.Encoding // from the answer

	greeting *message // initialized
	settings *message // the latest
	folders  folders
	docs     documents
	recent   recent
}

// note records a notification of the editor. number is the number of requests before it.
func (r *replay) note(m message, number int64) {
	if !r.begun {
		return // a session ignores it too
	}
	switch m.method {
	case methodGreeting:
		if r.greeting == nil {
			r.greeting = &m
		}
	case methodSettings:
		r.settings = &m
	case methodFolders:
		r.folders.changed(m.params)
	case methodOpen:
		r.docs.opened(m.params)
	case methodChange:
		r.docs.changed(m.params, r.units)
	case methodClose:
		r.docs.closed(m.params)
	case methodSave, methodWatched, methodRenamed:
		r.recent.add(m, number)
	}
}

// messages returns the notifications for a session that has received initialize.
func (r *replay) messages() (out []message) {
	if r.greeting != nil {
		out = append(out, *r.greeting)
	}
	if r.settings != nil {
		out = append(out, *r.settings)
	}
	out = append(out, r.folders.messages()...)
	out = append(out, r.docs.messages()...)
	return append(out, r.recent.messages()...)
}

// folders are the changes of workspace folders since initialize, the last one of each folder.
type folders struct {
	order []string // keys
	added map[string]json.RawMessage
	gone  map[string]json.RawMessage
}

func (f *folders) changed(params json.RawMessage) {
	var p struct {
		Event struct {
			Added, Removed []json.RawMessage
		} `json:"event"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if f.added == nil {
		f.added, f.gone = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	}
	put := func(list []json.RawMessage, in, out map[string]json.RawMessage) {
		for _, raw := range list {
			var folder struct {
				URI string `json:"uri"`
			}
			if json.Unmarshal(raw, &folder) != nil {
				continue
			}
			k := key(folder.URI)
			if in[k] == nil && out[k] == nil {
				f.order = append(f.order, k)
			}
			in[k] = raw
			delete(out, k)
		}
	}
	put(p.Event.Removed, f.gone, f.added)
	put(p.Event.Added, f.added, f.gone)
}

func (f *folders) messages() []message {
	if len(f.order) == 0 {
		return nil
	}
	event := struct {
		Added   []json.RawMessage `json:"added"`
		Removed []json.RawMessage `json:"removed"`
	}{[]json.RawMessage{}, []json.RawMessage{}}
	for _, k := range f.order {
		if raw := f.added[k]; raw != nil {
			event.Added = append(event.Added, raw)
		} else if raw := f.gone[k]; raw != nil {
			event.Removed = append(event.Removed, raw)
		}
	}
	params, err := json.Marshal(map[string]any{"event": event})
	if err != nil {
		return nil // they were JSON on arrival
	}
	return []message{{methodFolders, params}}
}

// recent are notifications of single events that a session may not have received: an answer to a
// later request shows that it has. Sending one twice does no harm.
type recent struct{ list []numbered }

type numbered struct {
	message
	number int64 // of requests before it
}

// maxRecent bounds the list if an editor sends no requests; file events are found again by a scan.
const maxRecent = 256

func (r *recent) add(m message, number int64) {
	if len(r.list) >= maxRecent {
		r.list = r.list[1:]
	}
	r.list = append(r.list, numbered{m, number})
}

// seen discards the notifications before an answered request.
func (r *recent) seen(request int64) {
	n := 0
	for n < len(r.list) && r.list[n].number < request {
		n++
	}
	r.list = r.list[n:]
}

func (r *recent) messages() []message {
	out := make([]message, len(r.list))
	for i, n := range r.list {
		out[i] = n.message
	}
	return out
}
