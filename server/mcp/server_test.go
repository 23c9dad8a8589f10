package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"github.com/contexture-dev/contexture/server/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPrivate holds that nothing a client may keep is said to be for others too: it tells of a person's workspace.
func TestPrivate(t *testing.T) {
	s, err := mcp.New(mcp.Options{
		Execute: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"arc":"what was decided"}`), nil
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	client := connect(t, s)
	results := map[string]func() (sdk.CacheableResult, error){
		"tools/list":               func() (sdk.CacheableResult, error) { return client.ListTools(t.Context(), nil) },
		"prompts/list":             func() (sdk.CacheableResult, error) { return client.ListPrompts(t.Context(), nil) },
		"resources/list":           func() (sdk.CacheableResult, error) { return client.ListResources(t.Context(), nil) },
		"resources/templates/list": func() (sdk.CacheableResult, error) { return client.ListResourceTemplates(t.Context(), nil) },
		"resources/read": func() (sdk.CacheableResult, error) {
			return client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "contexture://conversation/login/arc"})
		},
	}
	for method, ask := range results {
		r, err := ask()
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		if r.GetCacheScope() != "private" {
			t.Errorf("%s may be kept by %q", method, r.GetCacheScope())
		}
	}
}

// connect gives a session of the SDK's client with the server.
func connect(t *testing.T, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.WithoutCancel(t.Context()), toServer, fromServer) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close() // the server's end is what counts
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return session
}
