package ollama

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// The thresholds and times of a breaker. A caller of a hanging server waits for its whole deadline
// each time: after a few such calls only a probe is sent, first after a second, then less and less
// often.
const (
	openAfter    = 3
	firstPause   = time.Second
	longestPause = time.Minute
	probeTimeout = 30 * time.Second // enough to load a model

	// A call that had less time than this and timed out is no evidence about the server.
	tellingWait = 100 * time.Millisecond
)

// breaker counts the consecutive failures of a server or a model. Its states are: closed; open
// until a time; probing, once that time has passed and a call has arrived. It is not safe for
// concurrent use: Client.mu guards it.
type breaker struct {
	failures int // in a row
	pause    time.Duration
	until    time.Time // zero: closed
	probing  bool
}

// admit returns how long to refuse calls: zero if a call may be made. probe is true for exactly one
// caller, which must start a probe.
func (b *breaker) admit(now time.Time) (away time.Duration, probe bool) {
	switch {
	case b.until.IsZero():
		return 0, false
	case b.probing:
		return firstPause, false
	case now.Before(b.until):
		return b.until.Sub(now), false
	}
	b.probing = true
	return firstPause, true
}

// failed counts one failure. It reports whether that opened the breaker.
func (b *breaker) failed(now time.Time) bool {
	b.failures++
	if b.failures < openAfter || !b.until.IsZero() {
		return false // calls that were in progress when it opened change nothing
	}
	b.pause = firstPause
	b.until = now.Add(b.pause)
	return true
}

// probed records a probe's result. An answer closes the breaker; otherwise the next pause is twice
// as long.
func (b *breaker) probed(now time.Time, answered bool) {
	if answered {
		*b = breaker{}
		return
	}
	b.probing = false
	b.pause = min(2*b.pause, longestPause)
	b.until = now.Add(b.pause)
}

// guards returns the breakers that a call must pass: the server's, and, for a call to a model, that
// model's own. Only the model's opens when a model hangs, so that a stuck chat model does not
// affect embedding. Patient calls have their own breaker: callers with short deadlines on a slow
// machine must not stop them.
func (k call) guards() []string {
	if k.model == "" || k.op == "show" {
		return []string{""}
	}
	if k.patient {
		return []string{"", k.op + " patiently " + k.model}
	}
	return []string{"", k.op + " " + k.model}
}

// admit returns nil if the call may be made. Otherwise it returns an error with After set, and
// starts a probe in the background if one is due.
func (c *Client) admit(ctx context.Context, k call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, key := range k.guards() {
		b := c.circuit[key]
		if b == nil {
			continue
		}
		away, probe := b.admit(c.now())
		if away == 0 {
			continue
		}
		if probe {
			c.probe(ctx, key, k)
		}
		e := &Error{Kind: Unreachable, Op: k.op, Model: k.model, After: away, Detail: "the model server could not be reached in the last attempts"}
		if i > 0 {
			e.Kind, e.Detail = Timeout, "the model did not answer in time in the last attempts"
		}
		return e
	}
	return nil
}

// settle reports the result of a call to its breakers. A call that did not reach the server says
// nothing about the model; a cancelled one says nothing at all.
func (c *Client) settle(ctx context.Context, k call, err error, took time.Duration) {
	if errors.Is(err, context.Canceled) || errors.Is(err, errPreempted) {
		return
	}
	guards := k.guards()
	blamed := ""
	if err != nil {
		switch KindOf(err) {
		case Unreachable:
			guards = guards[:1]
			blamed = guards[0]
		case Timeout:
			if took < tellingWait {
				return
			}
			blamed = guards[len(guards)-1]
			guards = guards[len(guards)-1:] // whether the server or the model hangs is unknown
		default:
			err = nil // it answered
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range guards {
		b := c.circuit[key]
		switch {
		case err == nil && b != nil && b.until.IsZero():
			delete(c.circuit, key)
		case err != nil && key == blamed:
			if b == nil {
				b = &breaker{}
				c.circuit[key] = b
			}
			if b.failed(c.now()) {
				level := slog.LevelWarn
				if KindOf(err) == Unreachable {
					level = c.missing
				}
				c.log.Log(ctx, level, "the model server is not called for a while", "op", k.op, "model", k.model, "kind", KindOf(err).String())
			}
		}
	}
}

// probe checks in the background whether the server or model named by key answers again: the server
// by its version, a model by the smallest piece of its own work. Client.mu is held. The probe
// outlives the caller's context, since the caller already has its answer; Close ends it.
func (c *Client) probe(ctx context.Context, key string, k call) {
	select {
	case <-c.closed:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	c.probes.Go(func() {
		defer cancel()
		err := c.try(ctx, key, k)
		kind := KindOf(err)
		answered := err == nil || kind != Unreachable && kind != Timeout && !errors.Is(err, context.Canceled)
		c.mu.Lock()
		defer c.mu.Unlock()
		if b := c.circuit[key]; b != nil {
			b.probed(c.now(), answered)
		}
		if answered {
			c.log.Info("the model server answers again", "op", k.op, "model", k.model)
		}
	})
	c.probes.Go(func() {
		defer cancel()
		select {
		case <-c.closed:
		case <-ctx.Done():
		}
	})
}

// try makes the smallest call that shows whether the server or model named by key works.
func (c *Client) try(ctx context.Context, key string, k call) error {
	switch {
	case key == "":
		k = metaCall("version", http.MethodGet, "api/version")
		k.probe = true
		return c.do(ctx, k, nil, &struct{}{})
	case k.op == "embed":
		_, err := c.embed(ctx, k.model, k.window, call{timeout: probeTimeout, probe: true}, []string{"probe"})
		return err
	}
	_, err := c.chat(ctx, k.model, k.window, call{timeout: probeTimeout, probe: true, thinks: k.thinks}, Request{Prompt: "probe", MaxTokens: 1})
	return err
}
