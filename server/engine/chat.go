package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/settings"
)

// chat asks the chat model of a model server, which may change from question to question.
type chat struct{ server *ModelServer }

var (
	_ swarm.Chat    = chat{}
	_ memory.Writer = chat{}
)

// Identity implements swarm.Chat and memory.Writer; "" while there is no model.
func (c chat) Identity() string {
	m, ok := c.server.chatModel()
	if !ok {
		return ""
	}
	return m.Name + " " + m.Digest
}

// Window implements memory.Writer.
func (c chat) Window() int {
	m, ok := c.server.chatModel()
	if !ok {
		return 0
	}
	return ollama.ChatWindow(m)
}

// Ask implements swarm.Chat, for interactive questions.
func (c chat) Ask(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (string, error) {
	return c.ask(ctx, ollama.Request{System: system, Prompt: prompt, Schema: schema, MaxTokens: maxTokens})
}

// Write implements memory.Writer, for background questions.
func (c chat) Write(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (string, error) {
	text, err := c.ask(ctx, ollama.Request{System: system, Prompt: prompt, Schema: schema, MaxTokens: maxTokens, Patient: true})
	switch ollama.KindOf(err) {
	case ollama.TooLong, ollama.BadAnswer:
		if err != nil {
			err = fmt.Errorf("%w: %w", memory.ErrNoAnswer, err)
		}
	}
	return text, err
}

func (c chat) ask(ctx context.Context, req ollama.Request) (string, error) {
	m, ok := c.server.chatModel()
	if !ok {
		return "", &ollama.Error{Kind: ollama.ModelMissing, Op: "chat", Detail: "there is no chat model now"}
	}
	req.System, req.Prompt = c.server.models.redact(req.System), c.server.models.redact(req.Prompt)
	reply, err := c.server.client.Chat(ctx, m, req)
	return reply.Text, err
}

// chatModel returns the chat model to ask; false when there is none.
func (s *ModelServer) chatModel() (ollama.Model, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chat == nil {
		return ollama.Model{}, false
	}
	return *s.chat, true
}

// Filter returns the swarm if the settings enable its filter; nil means filtering by rules.
func (s *ModelServer) Filter(set *settings.Settings) *swarm.Swarm {
	if s == nil || !set.Filter.Enabled {
		return nil
	}
	return s.swarm
}

// Judge returns the swarm if the settings enable its judge; nil means choosing by scores.
func (s *ModelServer) Judge(set *settings.Settings) *swarm.Swarm {
	if s == nil || !set.Judge.Enabled {
		return nil
	}
	return s.swarm
}

// writer returns the chat model that the memory of a root may ask, nil while there is none.
func (m *Models) writer(root string) memory.Writer {
	if s := m.of(root); s != nil {
		if c := (chat{s}); c.Identity() != "" {
			return c
		}
	}
	return nil
}

// Serve lets a model server be asked about a root until end is called. nil is for a session that
// forbids asking any.
func (m *Models) Serve(root string, s *ModelServer) (end func()) {
	m.mu.Lock()
	m.roots[root] = append(m.roots[root], s)
	m.mu.Unlock()
	m.came()
	return func() {
		defer m.came() // a session that forbade asking may have ended
		m.mu.Lock()
		defer m.mu.Unlock()
		list := m.roots[root]
		if at := slices.Index(list, s); at >= 0 {
			list = slices.Delete(slices.Clone(list), at, at+1)
		}
		if m.roots[root] = list; len(list) == 0 {
			delete(m.roots, root)
		}
	}
}

// of returns the model server that the background may ask about a root, that of the latest session.
// It is nil for none, and while a session of the root forbids asking: what was said there must not
// leave the program.
func (m *Models) of(root string) *ModelServer {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.roots[root]
	if len(list) == 0 || slices.Contains(list, nil) {
		return nil
	}
	return list[len(list)-1]
}
