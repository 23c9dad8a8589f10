package engine

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/server/settings"
)

// A model server is checked when a request could use it and the last check is older than
// checkWorking, to notice models that were added, removed or changed, or older than checkAway if it
// did not answer or lacks a model. No timer checks it while idle. A server that is missed, because
// settings name it or because it answered before, is checked every checkAway without a request too,
// since a person may just be starting it, until missedFor after the last request.
const (
	checkWorking = 30 * time.Second
	checkAway    = 3 * time.Second
	missedFor    = 2 * time.Minute
	probeEvery   = 10 * time.Minute // whether the model's vectors are unchanged
)

// Models holds the model servers of a process, each shared by the indexes with the same settings
// for it. Safe for concurrent use.
type Models struct {
	counter  *tokens.Counter
	scanners *Scanners
	power    *power
	shelf    *encode.Shelf
	now      func() time.Time
	log      *slog.Logger
	came     func() // called when there may be a chat model for a root that had none

	mu    sync.Mutex // guards all below and the users in open
	open  map[string]*ModelServer
	roots map[string][]*ModelServer // by the root that they may be asked about; nil for a session that forbids asking

	// leading is held while the model of an index is decided; it is acquired after mu and before a
	// server's.
	leading   sync.Mutex
	followers map[*indexer.Index][]*ModelServer // that an index follows; the latest last
}

func newModels(opts Options, counter *tokens.Counter, scanners *Scanners) *Models {
	return &Models{
		counter: counter, scanners: scanners, power: &power{files: opts.Power, now: opts.Now}, shelf: encode.NewShelf(filepath.Join(opts.StateDir, "embeddings"), opts.Logger), now: opts.Now, log: opts.Logger,
		came: func() {},
		open: map[string]*ModelServer{}, roots: map[string][]*ModelServer{}, followers: map[*indexer.Index][]*ModelServer{},
	}
}

// Attach makes an index, nil for none, follow the model server of the settings and of host, the
// client's OLLAMA_HOST, until detach. It sends no request itself.
func (m *Models) Attach(ctx context.Context, set settings.Ollama, host string, x *indexer.Index) (s *ModelServer, detach func()) {
	key := fmt.Sprintf("%q", []any{host, set.URL, set.AllowRemote, set.EmbedModel, set.ChatModel, set.Prefixes})
	m.mu.Lock()
	defer m.mu.Unlock()
	s = m.open[key]
	if s == nil {
		s = m.start(ctx, set, host)
		m.open[key] = s
	}
	s.uses++
	s.follow(x)
	return s, sync.OnceFunc(func() {
		s.leave(x)
		m.mu.Lock()
		s.uses--
		last := s.uses == 0
		if last {
			delete(m.open, key)
		}
		m.mu.Unlock()
		if last {
			s.stop()
		}
	})
}

func (m *Models) start(ctx context.Context, set settings.Ollama, host string) *ModelServer {
	s := &ModelServer{
		models: m, set: set, named: isNamed(set, host),
		kick: make(chan struct{}, 1), looked: make(chan struct{}), used: m.now(),
	}
	client, err := ollama.New(ollama.Options{URL: set.URL, Env: host, Allow: set.Allows, Log: m.log, Now: m.now, Optional: !s.named})
	if err != nil {
		m.log.Warn("model server", "err", err)
		s.problem = err
		s.stop = func() {}
		close(s.looked)
		return s
	}
	s.client = client
	s.swarm = swarm.New(chat{s}, swarm.Options{Counter: m.counter, Now: m.now, Redact: m.redact})
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the server outlives the session that named it first
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.watch(ctx)
	}()
	s.stop = func() {
		cancel()
		<-done
		client.Close()
	}
	return s
}

// redact removes secrets from what is sent to a model, whatever other checks came before. It is
// independent of roots and has no exceptions.
func (m *Models) redact(text string) string {
	text, _ = m.scanners.Of(nil).Redact(text)
	return text
}

// close closes the shelf of embeddings. All indexes must have left.
func (m *Models) close() error { return m.shelf.Close() }

// ModelServer is one model server under one set of settings. Its own goroutine checks it. The
// methods Use, Filter, Judge, LacksChat and Embeds may be called on nil, which means no server.
type ModelServer struct {
	models *Models
	set    settings.Ollama
	named  bool // the person configured it: then its absence is reported
	client *ollama.Client
	swarm  *swarm.Swarm  // asks the chat model
	looked chan struct{} // closed after the first check
	kick   chan struct{} // requests a check at once
	stop   func()
	uses   int // guarded by models.mu

	mu      sync.Mutex  // guards all below
	embed   *embedModel // nil: none
	chat    *ollama.Model
	problem error // why there is no embedding model; nil when there is one, and before the first check
	noChat  error // the same for the chat model
	met     bool  // it has had an embedding model
	missed  bool  // it answered before, and no longer does
	checked time.Time
	used    time.Time // by a request, or when first configured
	probed  time.Time
}

// watch checks the server now and whenever there is a reason to, until ctx is done.
func (s *ModelServer) watch(ctx context.Context) {
	first := sync.OnceFunc(func() { close(s.looked) })
	defer first()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		err := s.look(ctx)
		if ctx.Err() != nil {
			return
		}
		timer.Stop()
		if s.note(err) {
			timer.Reset(checkAway)
		}
		first()
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-timer.C:
		}
	}
}

// note records the result of a check and reports whether another is due without a request.
func (s *ModelServer) note(err error) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = err != nil && (s.missed || s.problem == nil && !s.checked.IsZero())
	s.problem, s.checked = err, s.models.now()
	if s.chat == nil && s.noChat == nil {
		s.noChat = err // it has not even listed its models
	}
	return err != nil && (s.named || s.missed) && s.checked.Sub(s.used) <= missedFor
}

// Use records that a request could use the server, and requests a check if the last one is old.
func (s *ModelServer) Use() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.used = s.models.now()
	age, old := s.used.Sub(s.checked), checkWorking
	if s.problem != nil {
		old = checkAway
	}
	due := !s.checked.IsZero() && age >= old
	s.mu.Unlock()
	if due {
		s.check()
	}
}

// check requests a check at once. It does not block.
func (s *ModelServer) check() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// Embeds blocks until the server was checked for the first time and reports whether it has an
// embedding model; it reports false on nil. The error is ctx's.
func (s *ModelServer) Embeds(ctx context.Context) (bool, error) {
	if s == nil {
		return false, nil
	}
	select {
	case <-s.looked:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return s.embedding() != nil, nil
}

// look chooses the models among those installed and opens the embedding model if it differs from
// the previous one. The error is why there is no embedding model.
func (s *ModelServer) look(ctx context.Context) error {
	list, err := s.client.Models(ctx)
	if err != nil {
		return err // the previous model is kept, since it may come back
	}
	chat, chatErr := ollama.ChooseChat(list, s.set.ChatModel)
	s.mu.Lock()
	before := s.chat
	if s.chat, s.noChat = &chat, chatErr; chatErr != nil {
		s.chat = nil
	}
	old := s.embed
	s.mu.Unlock()
	if before == nil && chatErr == nil {
		s.models.came()
	}
	if chatErr != nil && s.set.ChatModel != "" {
		s.models.log.Warn("chat model", "err", chatErr)
	}
	choice, err := ollama.ChooseEmbed(list, s.set.EmbedModel)
	if err != nil {
		s.embedBy(nil)
		if old == nil && s.set.EmbedModel == "" {
			s.models.log.Debug("embedding model", "err", err)
		}
		return err
	}
	s.mu.Lock()
	s.met = true
	s.mu.Unlock()
	if old != nil && old.of.Model().Name == choice.Name && old.of.Model().Weights == choice.Weights && !s.changed(ctx, old) {
		return nil
	}
	e, err := ollama.Open(ctx, s.client, choice, prefixesOf(s.set))
	if err != nil {
		return err
	}
	identity := e.Identity()
	generation, err := s.models.shelf.Generation(identity, e.Probes(), e.Same)
	if err != nil {
		s.models.log.Debug("compare with the model as it was", "err", err)
	}
	if generation > 0 {
		identity = fmt.Sprintf("%s generation=%d", identity, generation)
	}
	s.models.log.Info("embedding model", "name", choice.Name, "dimensions", e.Dimensions())
	s.mu.Lock()
	s.probed = s.models.now()
	s.mu.Unlock()
	s.embedBy(&embedModel{of: e, identity: identity, kind: kindOf(e), server: s})
	return nil
}

// changed checks at intervals whether the model's vectors are unchanged.
func (s *ModelServer) changed(ctx context.Context, m *embedModel) bool {
	s.mu.Lock()
	due := s.models.now().Sub(s.probed) > probeEvery || m.doubted
	m.doubted = false
	s.mu.Unlock()
	if !due {
		return false
	}
	is, err := m.of.Changed(ctx)
	if err == nil {
		s.mu.Lock()
		s.probed = s.models.now()
		s.mu.Unlock()
	}
	return is
}

func prefixesOf(set settings.Ollama) map[string]ollama.Prefix {
	out := make(map[string]ollama.Prefix, len(set.Prefixes))
	for name, p := range set.Prefixes {
		out[name] = ollama.Prefix{Query: p.Query, Document: p.Document}
	}
	return out
}
