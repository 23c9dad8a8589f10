package stream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

const (
	// packAge is how long a pack is kept. Who uses one publishes it again before.
	packAge = 90 * 24 * time.Hour
	// messageBytes is the maximum size of a message with its headers.
	messageBytes = 1 << 20
)

// Admin is how an administrator reaches the servers.
type Admin struct {
	Servers     []string
	CA          string                     // PEM; empty where the system trusts the servers' certificate
	Credentials string                     // a file, as enrol.AdminCredentials
	InProcess   nats.InProcessConnProvider // the server, where it is in this process; else nil
}

// connect connects as an administrator.
func (a Admin) connect() (*nats.Conn, error) {
	options := []nats.Option{nats.Name("contexture-team"), nats.UserCredentials(a.Credentials), nats.NoReconnect(), nats.Timeout(connectTimeout)}
	if a.CA != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(a.CA)) {
			return nil, errors.New("the authority's certificate cannot be read")
		}
		options = append(options, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	if a.InProcess != nil {
		return nats.Connect("", append(options, nats.InProcessServer(a.InProcess))...)
	}
	var failed []error
	for _, server := range a.Servers {
		nc, err := nats.Connect(server, options...)
		if err == nil {
			return nc, nil
		}
		failed = append(failed, fmt.Errorf("connect to %s: %w", server, err))
	}
	return nil, errors.Join(failed...)
}

// Limits are the sizes of the streams.
type Limits struct {
	Replicas               int
	FactBytes, VectorBytes int64
}

// setupInterval is the time between two attempts to set the streams up, and setupTimeout is how
// long one may take: servers that have no leader yet do not answer.
const (
	setupInterval = 500 * time.Millisecond
	setupTimeout  = 3 * time.Second
)

// Setup creates the streams of a team, or changes them to limits, and returns when a majority of
// the servers has done so. Servers that have just been started need some seconds to find each
// other; until ctx ends, it tries again. Nothing is deleted: where a limit is smaller than what is
// stored, the oldest packs go, and facts are only refused.
func Setup(ctx context.Context, a Admin, limits Limits) error {
	for {
		err := setup(ctx, a, limits)
		var refused *jetstream.APIError
		if err == nil || errors.As(err, &refused) && refused.Code < 500 && refused.ErrorCode != codeNoPeers {
			return err
		}
		if !wait(ctx, setupInterval) {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

func setup(ctx context.Context, a Admin, limits Limits) error {
	nc, err := a.connect()
	if err != nil {
		return fmt.Errorf("set up the streams: %w", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("set up the streams: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	for _, config := range streams(limits) {
		if _, err := js.CreateOrUpdateStream(ctx, config); err != nil {
			return fmt.Errorf("set up %s: %w", config.Name, err)
		}
	}
	return nil
}

// streams returns the streams of a team. Nobody can delete or purge single messages, and both
// answer fetches from every replica.
func streams(limits Limits) []jetstream.StreamConfig {
	common := jetstream.StreamConfig{
		Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Replicas: limits.Replicas, MaxMsgSize: messageBytes,
		DenyDelete: true, DenyPurge: true, AllowDirect: true,
	}
	facts, packs := common, common
	facts.Name, facts.Subjects = enrol.FactStream, []string{factPrefix + ".*.*.*"}
	facts.MaxMsgsPerSubject, facts.MaxBytes, facts.Discard = 1, limits.FactBytes, jetstream.DiscardNew
	facts.RePublish = announcements(factPrefix, false)
	packs.Name, packs.Subjects = enrol.PackStream, []string{packPrefix + ".*.*"}
	packs.MaxBytes, packs.Discard, packs.MaxAge = limits.VectorBytes, jetstream.DiscardOld, packAge
	packs.RePublish = announcements(packPrefix, true)
	return []jetstream.StreamConfig{facts, packs}
}

// announcements returns how stored messages are announced: facts, which are small and wanted soon,
// with their content.
func announcements(prefix string, headersOnly bool) *jetstream.RePublish {
	return &jetstream.RePublish{Source: prefix + ".>", Destination: enrol.StoredPrefix + prefix + ".>", HeadersOnly: headersOnly}
}

// UpdateAccount sends an account's JWT to the running servers, which close the connections of
// members that were removed. a is with enrol.SystemCredentials.
func UpdateAccount(ctx context.Context, a Admin, account string) error {
	nc, err := a.connect()
	if err != nil {
		return fmt.Errorf("update the account: %w", err)
	}
	defer nc.Close()
	answer, err := nc.RequestWithContext(ctx, "$SYS.REQ.CLAIMS.UPDATE", []byte(account))
	if err != nil {
		return fmt.Errorf("update the account: %w", err)
	}
	var done struct{}
	if err := decodeAnswer(answer.Data, &done); err != nil {
		return fmt.Errorf("update the account: %w", err)
	}
	return nil
}
