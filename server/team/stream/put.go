package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

// acknowledgement is a server's answer to a publication.
type acknowledgement struct {
	Stream string `json:"stream"`
	Seq    uint64 `json:"seq"`
}

// PutFact publishes a fact and returns when a majority of the replicas has stored it. A fact under
// the same repository and id is replaced, so that a repeat changes nothing, and a tombstone erases.
//
// The error is [ErrUnavailable], [ErrFull], [ErrDenied], [ErrNoStream] or a [TooLargeError], by
// errors.Is and errors.As. After the first, the fact may have been stored; publish it again.
//
// Unlike a pack, a fact has no id by which the server drops repeats: that would also drop what is
// published again after a tombstone.
func (c *Client) PutFact(ctx context.Context, repo, id string, data []byte) error {
	subject, err := subject(factPrefix, repo, c.author, id)
	if err != nil {
		return fmt.Errorf("publish a fact: %w", err)
	}
	if err := c.put(ctx, enrol.FactStream, &nats.Msg{Subject: subject, Data: data, Header: nats.Header{}}); err != nil {
		return fmt.Errorf("publish a fact: %w", err)
	}
	return nil
}

// PutPack publishes a pack of vectors of a model and a repository, within the bandwidth limit, and
// returns when a majority of the replicas has stored it. The oldest packs make room for it. Errors
// are those of [Client.PutFact].
func (c *Client) PutPack(ctx context.Context, model, repo string, data []byte) error {
	subject, err := subject(packPrefix, model, repo)
	if err != nil {
		return fmt.Errorf("publish a pack: %w", err)
	}
	sum := sha256.Sum256(append([]byte(subject+"\n"), data...))
	header := nats.Header{nats.MsgIdHdr: {hex.EncodeToString(sum[:16])}}
	ctx, cancel := c.bind(ctx)
	defer cancel()
	if len(data) <= MaxData {
		if err := c.packs.WaitN(ctx, len(data)); err != nil {
			return fmt.Errorf("publish a pack: %w: %w", ErrUnavailable, err)
		}
	}
	if err := c.put(ctx, enrol.PackStream, &nats.Msg{Subject: subject, Data: data, Header: header}); err != nil {
		return fmt.Errorf("publish a pack: %w", err)
	}
	return nil
}

func (c *Client) put(ctx context.Context, stream string, m *nats.Msg) error {
	if len(m.Data) > MaxData {
		return &TooLargeError{len(m.Data), MaxData}
	}
	l, err := c.need()
	if err != nil {
		return err
	}
	m.Header.Set(nats.ExpectedStreamHdr, stream)
	answer, err := run(ctx, c, func(ctx context.Context) (*nats.Msg, error) { return l.request(ctx, m) })
	if err != nil {
		return err
	}
	var ack acknowledgement
	if err := decodeAnswer(answer.Data, &ack); err != nil {
		return err
	}
	if ack.Stream != stream || ack.Seq == 0 {
		return fmt.Errorf("%w: the server's acknowledgement names %q", ErrUnavailable, ack.Stream)
	}
	return nil
}
