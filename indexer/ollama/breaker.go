package ollama

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// When a breaker opens and how long it stays so. A caller of a server that hangs waits its whole
// deadline, each time: after a few of those nobody asks any more but a probe, at first after a
// second, then ever more rarely.
const (
	openAfter    = 3
	firstPause   = time.Second
	longestPause = time.Minute
	probeTimeout = 30 * time.Second // long enough for a model to be loaded

	// A call that was given less than this and timed out says nothing about the server.
	tellingWait = 100 * time.Millisecond
)

// breaker counts the failures in a row of one thing that can be down. The state is: closed; open
// until a time; probing, once that time has passed and somebody has asked. Not safe for concurrent
// use: Client.mu guards it.
type breaker struct {
	failures int // in a row
	pause    time.Duration
	until    time.Time // zero: closed
	probing  bool
}

// admit returns how long to stay away: zero when a call may be made. probe is true for the one
// caller that has to see to it that the thing is tried again.
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

// failed counts one failure. It says whether that opened the breaker.
func (b *breaker) failed(now time.Time) bool {
	b.failures++
	if b.failures < openAfter || !b.until.IsZero() {
		return false // calls that were under way when it opened change nothing
	}
	b.pause = firstPause
	b.until = now.Add(b.pause)
	return true
}

// probed takes a probe's result. Answered closes the breaker; otherwise the next pause is twice as
// long.
func (b *breaker) probed(now time.Time, answered bool) {
	if answered {
		*b = breaker{}
		return
	}
	b.probing = false
	b.pause = min(2*b.pause, longestPause)
	b.until = now.Add(b.pause)
}

// guards are the breakers that stand before a call: the server's, and, for the work of a model,
// that model's own. Only the second one opens when a model hangs, so that a stuck chat model costs
// no embedding. Work that nobody waits for has one of its own: callers with short deadlines on a
// slow machine shall not stop it.
func (k call) guards() []string {
	if k.model == "" || k.op == "show" {
		return []string{""}
	}
	if k.patient {
		return []string{"", k.op + " patiently " + k.model}
	}
	return []string{"", k.op + " " + k.model}
}

// admit is nil when the call may be made. Otherwise it is an error with After set, and where it is
// time, a probe has been started that no caller waits for.
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
		e := &Error{Kind: Unreachable, Op: k.op, Model: k.model, After: away, Detail: "the model server could not be reached the last times"}
		if i > 0 {
			e.Kind, e.Detail = Timeout, "the model did not answer in time the last times"
		}
		return e
	}
	return nil
}

// settle tells the breakers how a call ended. A call that was not reached says nothing about the
// model, one that was cancelled nothing at all.
func (c *Client) settle(k call, err error, took time.Duration) {
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
			guards = guards[len(guards)-1:] // whether the server or the model hangs is not known
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
				c.log.Warn("the model server is left alone for a while", "op", k.op, "model", k.model, "kind", KindOf(err).String())
			}
		}
	}
}

// probe tries in the background whether what key stands for answers again: the server by its
// version, a model by the smallest piece of its own work. Client.mu is held. The caller's
// cancellation does not end it: the caller has its answer already; Close does.
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

// try makes the smallest call that shows whether what key stands for works.
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
