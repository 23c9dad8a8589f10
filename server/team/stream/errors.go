package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

var (
	// ErrUnavailable says that no server answered. The message may have been stored or not; publish
	// it again later.
	ErrUnavailable = errors.New("no server of the team is reachable")
	// ErrFull says that the stream or the servers' disk is full. Publish again later, and report
	// it: someone must raise the limit.
	ErrFull = errors.New("the team's store is full")
	// ErrDenied says that the servers refuse the credentials or the right to publish. A repeat
	// fails too, until the member is admitted anew.
	ErrDenied = errors.New("the team's servers deny access")
	// ErrNoStream says that the servers have no stream for the message yet: contexture-team setup
	// creates it.
	ErrNoStream = errors.New("the team's servers have no such stream; contexture-team setup creates it")
)

// TooLargeError says that data exceeds [MaxData]. Nothing was sent.
type TooLargeError struct {
	Bytes, Limit int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d bytes are too large for a message of the team: at most %d", e.Bytes, e.Limit)
}

// Codes of errors that a JetStream server answers with.
const (
	codeAccountResources = 10002
	codeNoPeers          = 10005 // also while the leader has not found the other servers yet
	codeResources        = 10023
	codeStorage          = 10047
	codeStoreFailed      = 10077 // the text says why
	codeTooLarge         = 10054
	codeNoStream         = 10059
)

// serverError is the error in a server's answer.
type serverError struct {
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *serverError) Error() string {
	return fmt.Sprintf("the server answers: %s (%d)", e.Description, e.Code)
}

// Unwrap returns the error of this package that a caller distinguishes.
func (e *serverError) Unwrap() error {
	full := []int{codeAccountResources, codeResources, codeStorage}
	switch {
	case slices.Contains(full, e.Code), e.Code == codeStoreFailed && strings.Contains(e.Description, "maximum"):
		return ErrFull
	case e.Code == codeNoStream:
		return ErrNoStream
	case e.Code == codeTooLarge:
		return &TooLargeError{Limit: MaxData}
	default:
		return ErrUnavailable
	}
}

// requestError converts the error of a request. An end of the caller's context stays visible.
func requestError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	case errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("%w: %w", ErrDenied, err)
	default:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
}
