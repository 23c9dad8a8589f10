package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// answerTimeout is the maximum time until a server answers a request.
const answerTimeout = 10 * time.Second

// need returns the present connection, or [ErrUnavailable] with the reason there is none.
func (c *Client) need() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, c.state.LastError)
	}
	return c.link, nil
}

// run calls do in a goroutine of the client's and returns its results when it returns, or an error
// when ctx ends, whichever is first: a connection that takes nothing blocks the library longer than
// the caller may wait. Do may go on after run has returned, so that it must not write to what its
// caller has; what it returns then is discarded.
func run[T any](ctx context.Context, c *Client, do func(ctx context.Context) (T, error)) (T, error) {
	type results struct {
		value T
		err   error
	}
	var none T
	ctx, cancel := c.bind(ctx)
	done := make(chan results, 1)
	if !c.spawn(func() {
		defer cancel()
		value, err := do(ctx)
		done <- results{value, err}
	}) {
		cancel()
		return none, fmt.Errorf("%w: %w", ErrUnavailable, errClosed)
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		select {
		case r := <-done:
			return r.value, r.err
		default:
			return none, requestError(ctx, ctx.Err())
		}
	}
}

// spawn calls do in a goroutine that Close waits for, and reports whether the client is open.
func (c *Client) spawn(do func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.workers.Go(do)
	}
	return !c.closed
}

// request sends a message and returns the answer.
func (l *link) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer l.onDenial(m.Subject, stop)()
	answer, err := l.nc.RequestMsgWithContext(waiting, m)
	l.answered(err == nil)
	if err == nil {
		return answer, nil
	}
	if cause := context.Cause(waiting); cause != nil && ctx.Err() == nil {
		err = cause // it was denied
	}
	return nil, requestError(ctx, err)
}

// call sends a JSON request to the servers' interface and decodes the answer into out.
func (l *link) call(ctx context.Context, subject string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	answer, err := l.request(ctx, &nats.Msg{Subject: subject, Data: body})
	if err != nil {
		return err
	}
	return decodeAnswer(answer.Data, out)
}

// decodeAnswer decodes a server's answer into out, or returns the error in it.
func decodeAnswer(data []byte, out any) error {
	var failure struct {
		Error *serverError `json:"error"`
	}
	if err := json.Unmarshal(data, &failure); err != nil {
		return fmt.Errorf("%w: the server's answer is no JSON: %w", ErrUnavailable, err)
	}
	if failure.Error != nil {
		return failure.Error
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%w: the server's answer: %w", ErrUnavailable, err)
	}
	return nil
}

// deniedSubject returns the subject in the text of a server's denial to publish.
func deniedSubject(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, `Publish to "`)
	if !ok {
		return "", false
	}
	subject, _, ok := strings.Cut(rest, `"`)
	return subject, ok
}
