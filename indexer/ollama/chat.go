package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/ollama/ollama/api"
)

// chatWindow is the context in tokens requested for all chat models.
const chatWindow = 8192

// usualTokens is the maximum length of an answer if the request sets none.
const usualTokens = 512

// Request is one question to a chat model.
type Request struct {
	System string
	Prompt string
	// Schema is the JSON schema of the answer; nil requests text. The server writes properties in
	// the schema's order.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 means 512. A longer answer is an error; it is not cut.
	MaxTokens int
	// Patient marks a background request: it may take minutes, and does not delay indexing.
	Patient bool
}

// Reply is a complete answer.
type Reply struct {
	Text         string // valid JSON for the schema, if any; else text without surrounding space
	PromptTokens int
	Tokens       int
	Took         time.Duration
}

// ChatWindow returns the context in tokens, request and answer together, that Chat requests for
// model.
func ChatWindow(model Model) int {
	if model.Context > 0 {
		return min(chatWindow, model.Context)
	}
	return chatWindow
}

// Chat sends one request to model, at temperature 0 and with a fixed seed, so that equal requests
// get equal answers. A prompt longer than the context is TooLong; an answer that is cut off or does
// not fit the schema is a BadAnswer: nothing is repaired. Chat does not cache answers; callers do.
func (c *Client) Chat(ctx context.Context, model Model, req Request) (Reply, error) {
	if model.Remote != "" {
		return Reply{}, refusedModel(model, "chat")
	}
	if !req.Patient {
		defer c.gate.query(c.now)()
	}
	window := ChatWindow(model)
	k := call{timeout: chatTimeout, patient: req.Patient, thinks: model.Thinks}
	if req.Patient {
		k.timeout = patientTimeout
	}
	for try := 0; ; try++ {
		reply, err := c.chat(ctx, model.Name, window, k, req)
		var e *Error
		if try == 0 && errors.As(err, &e) && e.again {
			continue
		}
		return reply, err
	}
}

// chat sends one request and checks the answer.
func (c *Client) chat(ctx context.Context, model string, window int, k call, req Request) (Reply, error) {
	tokens := usualTokens
	if req.MaxTokens > 0 {
		tokens = req.MaxTokens
	}
	k.op, k.method, k.path, k.model, k.window = "chat", http.MethodPost, "api/chat", model, window
	k.limit = maxRestBytes + int64(tokens)*maxTokenBytes
	no := false
	out := api.ChatResponse{}
	in := api.ChatRequest{
		Model: model, Stream: &no, Truncate: &no, Shift: &no, Format: req.Schema, KeepAlive: kept(),
		Options: map[string]any{"num_ctx": window, "num_predict": tokens, "temperature": 0, "seed": 1},
	}
	if k.thinks {
		in.Think = &api.ThinkValue{Value: false}
	}
	if req.System != "" {
		in.Messages = append(in.Messages, api.Message{Role: "system", Content: strings.ToValidUTF8(req.System, "\uFFFD")})
	}
	in.Messages = append(in.Messages, api.Message{Role: "user", Content: strings.ToValidUTF8(req.Prompt, "\uFFFD")})
	start := c.now()
	if err := c.do(ctx, k, in, &out); err != nil {
		return Reply{}, err
	}
	if bad := complete(out, req.Schema); bad != nil {
		return Reply{}, &Error{Kind: BadAnswer, Op: k.op, Model: model, Detail: bad.Error()}
	}
	return Reply{
		Text: strings.TrimSpace(out.Message.Content), PromptTokens: out.PromptEvalCount, Tokens: out.EvalCount, Took: c.now().Sub(start),
	}, nil
}

// complete returns an error if an answer is incomplete or does not fit the schema. The error never
// contains the answer's text.
func complete(out api.ChatResponse, schema json.RawMessage) error {
	switch content := strings.TrimSpace(out.Message.Content); {
	case !out.Done:
		return errors.New("the answer has no end")
	case out.DoneReason == "length":
		return errors.New("the answer is longer than it may be")
	case out.DoneReason != "stop":
		return fmt.Errorf("the answer ended by %q", clip(out.DoneReason, 20))
	case content == "":
		return errors.New("the answer is empty")
	case schema != nil:
		return fitsSchema([]byte(content), schema)
	}
	return nil
}

// fitsSchema reports whether answer is one JSON value that fits schema.
func fitsSchema(answer, schema []byte) error {
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return errors.New("the answer is not JSON")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return errors.New("the schema asked for cannot be read")
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return errors.New("the schema asked for cannot be used")
	}
	if resolved.Validate(value) != nil {
		return errors.New("the answer does not fit the schema")
	}
	return nil
}
