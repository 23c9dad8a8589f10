package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// URIs of resources. A conversation's id is percent-encoded.
const (
	statusURI = "contexture://index/status"
	arcURI    = "contexture://conversation/{id}/arc"
	turnURI   = "contexture://conversation/{id}/turn/{turn}"
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: statusURI, Name: "index-status", Title: "Index", Description: "How far the index of the project is, and what it leaves out.", MIMEType: "application/json",
	}, s.read)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: arcURI, Name: "arc", Title: "Decisions and open questions of a conversation", MIMEType: "text/markdown",
		Description: "What a conversation decided, what it left open and what it is about now.",
	}, s.read)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: turnURI, Name: "turn", Title: "Turn of a conversation", MIMEType: "text/markdown",
		Description: "One turn, word for word, such as T-7.",
	}, s.read)
}

// read reads a resource of any type.
func (s *Server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	c, ok := s.resource(uri)
	if !ok {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	args, err := json.Marshal(c.args)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uri, err)
	}
	raw, err := s.opts.Execute(ctx, c.command, args)
	var refused *command.Error
	if errors.As(err, &refused) && (refused.DataCode == command.DataNotFound || refused.Code == command.CodeInvalidParams) {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uri, err)
	}
	text, kind := string(raw), "application/json"
	if c.member != "" {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, fmt.Errorf("read %s: %w", uri, err)
		}
		if err := json.Unmarshal(members[c.member], &text); err != nil {
			return nil, fmt.Errorf("read %s: %w", uri, err)
		}
		kind = "text/markdown"
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}, nil
}

// reading is the command that reads a resource, and the member of its result that is the text; ""
// for the whole result.
type reading struct {
	command string
	args    map[string]any
	member  string
}

// resource parses a URI.
func (s *Server) resource(uri string) (reading, bool) {
	if uri == statusURI {
		return reading{"contexture.index.status", map[string]any{}, ""}, true
	}
	rest, ok := strings.CutPrefix(uri, "contexture://conversation/")
	if !ok {
		return reading{}, false
	}
	encoded, rest, _ := strings.Cut(rest, "/")
	id, err := url.PathUnescape(encoded)
	if err != nil || id == "" {
		return reading{}, false
	}
	if rest == "arc" {
		return reading{"contexture.conversation.arc", map[string]any{"conversationId": id}, "arc"}, true
	}
	if turn, ok := strings.CutPrefix(rest, "turn/"); ok {
		return reading{"contexture.conversation.turn", map[string]any{"conversationId": id, "turnId": turn, "level": "R", "pin": false}, "text"}, true
	}
	return reading{}, false
}
