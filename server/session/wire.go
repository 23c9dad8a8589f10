package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Messages of the Language Server Protocol are those of go.lsp.dev/protocol, encoded and decoded by
// its own codec, since encoding/json treats optional members differently. What it cannot do is
// below, each with the reason. Unknown members are ignored, and an optional member of the wrong
// type does not exclude a client.

// uriRef is anything that a message names by a URI: a document, a folder, a file. The library's
// types are unsuitable with any codec, because their URI rewrites its input. "file:///%FF" becomes
// "file:///%25FF", another file; "file:///C:/x" becomes "file:///c%3A/x", another file too where
// case matters; "untitled:a(b)" becomes "untitled:a%28b%29", which is no longer the document that
// the client has open; "file:////a" fails the message.
type uriRef struct {
	URI string `json:"uri"`
}

// openParams are those of didOpen.
type openParams struct {
	TextDocument struct {
		uriRef
		Text string `json:"text"`
	} `json:"textDocument"`
}

// changeParams are those of didChange.
type changeParams struct {
	TextDocument   uriRef             `json:"textDocument"`
	ContentChanges []transport.Change `json:"contentChanges"`
}

// documentParams are those of didClose, didSave and codeLens.
type documentParams struct {
	TextDocument uriRef `json:"textDocument"`
}

// hoverParams are those of textDocument/hover.
type hoverParams struct {
	TextDocument uriRef             `json:"textDocument"`
	Position     transport.Position `json:"position"`
}

// foldersParams are those of didChangeWorkspaceFolders.
type foldersParams struct {
	Event struct {
		Added   []uriRef `json:"added"`
		Removed []uriRef `json:"removed"`
	} `json:"event"`
}

// watchedParams are those of didChangeWatchedFiles.
type watchedParams struct {
	Changes []uriRef `json:"changes"`
}

// decode decodes parameters. The error is a *command.Error, InvalidParams.
func decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return command.InvalidParams("", "the parameters are missing")
	}
	err := json.Unmarshal(raw, into)
	var e *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return command.InvalidParams("", "the parameters cannot be read")
	case e.Field == "":
		return command.InvalidParams("", "the parameters must be %s", jsonKind(e.Type))
	}
	return command.InvalidParams(e.Field, "must be %s", jsonKind(e.Type))
}

// jsonKind returns the JSON name for a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number that is not too large"
}

// refuse returns the answer to a request whose parameters cannot be decoded.
func refuse(method string, err error) transport.Work {
	var e *command.Error
	if !errors.As(err, &e) {
		e = command.InvalidParams("", "%s", err)
	}
	answer := &jsonrpc2.Error{Code: jsonrpc2.Code(e.Code), Message: method + ": " + e.Error(), Data: jsonrpc2.RawMessage(e.DataJSON())}
	return transport.Work{Inline: true, Run: func(context.Context) (any, error) { return nil, answer }}
}

// marshal encodes a message of the library's types.
func marshal(v any) (json.RawMessage, error) {
	raw, err := protocol.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return raw, nil
}

// initializeParams are those of initialize, with the folders to open: as the client spells them
// ([located]), and the older single path, which the library has but calls deprecated.
type initializeParams struct {
	protocol.InitializeParams
	path    string
	root    string
	folders []uriRef
}

// readInitialize decodes the parameters of initialize. The library refuses all of them for one that
// it cannot decode, such as a null trace; then they are decoded individually, and that one counts
// as absent. The error means that they are not an object.
func readInitialize(raw json.RawMessage, log *slog.Logger) (*initializeParams, error) {
	var members map[string]json.RawMessage
	if err := decode(raw, &members); err != nil {
		return nil, err
	}
	p := &initializeParams{}
	if protocol.Unmarshal(raw, &p.InitializeParams) != nil {
		p.InitializeParams = protocol.InitializeParams{}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if err := p.read(name, members[name]); err != nil {
				log.Info("a parameter of initialize cannot be read and counts as absent", "name", name, "err", err)
			}
		}
	}
	// A value of the wrong type counts as absent here too.
	_ = json.Unmarshal(members["rootPath"], &p.path)
	_ = json.Unmarshal(members["rootUri"], &p.root)
	_ = json.Unmarshal(members["workspaceFolders"], &p.folders)
	return p, nil
}

// read decodes one parameter. Of capabilities, all that can be decoded are used: encoding/json
// continues after an error.
func (p *initializeParams) read(name string, value json.RawMessage) error {
	quoted, err := json.Marshal(name)
	if err != nil {
		return err
	}
	one := bytes.Join([][]byte{[]byte("{"), quoted, []byte(":"), value, []byte("}")}, nil)
	next := p.InitializeParams
	if err = protocol.Unmarshal(one, &next); err == nil {
		p.InitializeParams = next
	} else if name == "capabilities" {
		_ = json.Unmarshal(value, &p.Capabilities)
	}
	return err
}

// readCommand decodes the parameters of executeCommand. If the library refuses them, for a progress
// token of the wrong type, only the needed members are decoded.
func readCommand(raw json.RawMessage) (name string, arguments []json.RawMessage, err error) {
	var p protocol.ExecuteCommandParams
	if len(raw) > 0 && protocol.Unmarshal(raw, &p) == nil {
		arguments = make([]json.RawMessage, len(p.Arguments))
		for i, a := range p.Arguments {
			arguments[i] = json.RawMessage(a)
		}
		return p.Command, arguments, nil
	}
	var bare struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	err = decode(raw, &bare)
	return bare.Command, bare.Arguments, err
}
