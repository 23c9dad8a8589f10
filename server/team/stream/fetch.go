package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// batchMessages and batchBytes bound what one request fetches, and so a follower's memory.
	batchMessages, batchBytes = 256, 1 << 20

	statusEnd      = "204"
	statusNotFound = "404"

	lastSequenceHeader = "Nats-Last-Sequence"
	pendingHeader      = "Nats-Num-Pending"
	sizeHeader         = "Nats-Msg-Size" // of an announcement without content
	statusHeader       = "Status"
	descriptionHeader  = "Description"
)

// Message is a fact or a pack as a follower receives it.
type Message struct {
	Repo   string
	Author string // of a fact: the public key that the server checked; else empty
	ID     string // of a fact; else empty
	Model  string // of a pack; else empty
	Seq    uint64
	Stored time.Time // by the server's clock
	Data   []byte
}

// getRequest is a request to fetch from a stream.
type getRequest struct {
	Seq         uint64 `json:"seq,omitempty"`
	NextSubject string `json:"next_by_subj,omitempty"`
	Batch       int    `json:"batch,omitempty"`
	MaxBytes    int    `json:"max_bytes,omitempty"`
}

// streamInfo is the state of a stream.
type streamInfo struct {
	Created time.Time `json:"created"`
	State   struct {
		Messages uint64 `json:"messages"`
		Bytes    uint64 `json:"bytes"`
		LastSeq  uint64 `json:"last_seq"`
	} `json:"state"`
	Config struct {
		Replicas int   `json:"num_replicas"`
		MaxBytes int64 `json:"max_bytes"`
	} `json:"config"`
	Cluster *struct {
		Leader   string `json:"leader"`
		Replicas []struct {
			Name    string `json:"name"`
			Current bool   `json:"current"`
		} `json:"replicas"`
	} `json:"cluster"`
}

// level reports whether every replica has what the leader has.
func (i *streamInfo) level() bool {
	if i.Cluster == nil {
		return true
	}
	for _, r := range i.Cluster.Replicas {
		if !r.Current {
			return false
		}
	}
	return len(i.Cluster.Replicas)+1 >= i.Config.Replicas
}

func (l *link) info(ctx context.Context, stream string) (*streamInfo, error) {
	var info streamInfo
	if err := l.call(ctx, "$JS.API.STREAM.INFO."+stream, nil, &info); err != nil {
		return nil, fmt.Errorf("read the state of %s: %w", stream, err)
	}
	return &info, nil
}

// batch is what one request fetches.
type batch struct {
	messages []*Message
	pending  uint64 // how many more there are
}

// fetch returns the next messages of a subject, which may contain wildcards, from a sequence on.
// Messages that precede an error are returned with it.
func (l *link) fetch(ctx context.Context, stream, subject string, from uint64) (b batch, err error) {
	body, err := json.Marshal(getRequest{Seq: from, NextSubject: subject, Batch: batchMessages, MaxBytes: batchBytes})
	if err != nil {
		return b, err
	}
	inbox := l.nc.NewInbox()
	sub, err := l.nc.SubscribeSync(inbox)
	if err != nil {
		return b, requestError(ctx, err)
	}
	defer sub.Unsubscribe() // its only error is that the connection is closed
	if err := l.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, body); err != nil {
		return b, requestError(ctx, err)
	}
	last := "0"
	for {
		answer, err := nextAnswer(ctx, sub)
		if err != nil {
			return b, fmt.Errorf("fetch from %s: %w", stream, err)
		}
		status := answer.Header.Get(statusHeader)
		switch {
		case status == statusNotFound:
			return b, nil
		case status != "" && status != statusEnd:
			return b, fmt.Errorf("fetch from %s: %w: the server answers %s %s", stream, ErrUnavailable, status, answer.Header.Get(descriptionHeader))
		case answer.Header.Get(lastSequenceHeader) != last:
			return b, fmt.Errorf("fetch from %s: %w: an answer was lost", stream, ErrUnavailable)
		case status == statusEnd:
			if b.pending, err = strconv.ParseUint(answer.Header.Get(pendingHeader), 10, 64); err != nil {
				return b, fmt.Errorf("fetch from %s: %w: the server's answer: %w", stream, ErrUnavailable, err)
			}
			return b, nil
		}
		m, err := parseMessage(answer)
		if err != nil {
			return b, fmt.Errorf("fetch from %s: %w", stream, err)
		}
		last = strconv.FormatUint(m.Seq, 10)
		b.messages = append(b.messages, m)
	}
}

// nextAnswer waits for the next answer, as long as one may take.
func nextAnswer(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	waiting, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := sub.NextMsgWithContext(waiting)
	if err != nil {
		return nil, requestError(ctx, err)
	}
	return answer, nil
}

// parseMessage returns the message in an answer. The subject is the stream's, to which only its
// author may publish.
func parseMessage(answer *nats.Msg) (*Message, error) {
	seq, err := strconv.ParseUint(answer.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil || seq == 0 {
		return nil, fmt.Errorf("%w: an answer has no sequence", ErrUnavailable)
	}
	stored, err := time.Parse(time.RFC3339Nano, answer.Header.Get("Nats-Time-Stamp"))
	if err != nil {
		return nil, fmt.Errorf("%w: an answer has no time: %w", ErrUnavailable, err)
	}
	m := &Message{Seq: seq, Stored: stored, Data: answer.Data}
	parts := strings.Split(answer.Header.Get("Nats-Subject"), ".")
	switch {
	case len(parts) == 4 && parts[0] == factPrefix:
		m.Repo, m.Author, m.ID = parts[1], parts[2], parts[3]
	case len(parts) == 3 && parts[0] == packPrefix:
		m.Model, m.Repo = parts[1], parts[2]
	default:
		return nil, fmt.Errorf("%w: an answer has an unknown subject", ErrUnavailable)
	}
	return m, nil
}

// lastData returns the data of the last message of a subject, from the replica of the connected
// server where it has one. It returns errNone where there is no message.
func (l *link) lastData(ctx context.Context, stream, subject string) ([]byte, error) {
	answer, err := l.request(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + stream + "." + subject})
	if err != nil {
		return nil, err
	}
	switch status := answer.Header.Get(statusHeader); status {
	case "":
		return answer.Data, nil
	case statusNotFound:
		return nil, errNone
	default:
		return nil, fmt.Errorf("%w: the server answers %s %s", ErrUnavailable, status, answer.Header.Get(descriptionHeader))
	}
}

var errNone = errors.New("no message has this subject")
