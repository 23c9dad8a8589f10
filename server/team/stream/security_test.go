package stream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/nodetest"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// raw connects with a member's credentials and none of the client's manners. Denials arrive on the
// channel.
func raw(t *testing.T, m *enrol.Membership) (*nats.Conn, <-chan error) {
	t.Helper()
	denied := make(chan error, 100)
	key, err := m.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(m.Servers[0],
		nats.UserJWT(func() (string, error) { return m.JWT, nil }, m.Sign),
		nats.CustomInboxPrefix(enrol.InboxPrefix(key)), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, denied
}

// TestRights checks what a member may not do with the own credentials: publish as another, read
// others' answers, delete, purge, change streams, create consumers, announce.
func TestRights(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	put(t, ada, "r1", "a", "one")
	m := team.Member("Eve")
	eve, denied := raw(t, m)
	own, err := m.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	mustDeny := func(what string) {
		t.Helper()
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s is allowed", what)
		}
	}
	for _, subject := range []string{
		"facts.r1." + ada.Author() + ".a", "facts.r1", "stored.facts.r1." + ada.Author() + ".a", enrol.InboxPrefix(ada.Author()) + ".x",
		"$JS.API.STREAM.PURGE.CTX_FACTS", "$JS.API.STREAM.DELETE.CTX_FACTS", "$JS.API.STREAM.MSG.DELETE.CTX_FACTS",
		"$JS.API.STREAM.UPDATE.CTX_FACTS", "$JS.API.STREAM.CREATE.EVIL", "$JS.API.STREAM.LIST", "$JS.API.STREAM.SNAPSHOT.CTX_FACTS",
		"$JS.API.CONSUMER.CREATE.CTX_FACTS", "$JS.API.CONSUMER.DURABLE.CREATE.CTX_FACTS.evil", "$JS.API.CONSUMER.DELETE.CTX_FACTS.x",
		"$JS.API.CONSUMER.MSG.NEXT.CTX_FACTS.x", "$JS.ACK.x", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.PING",
	} {
		if err := eve.PublishRequest(subject, eve.NewInbox(), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		mustDeny("publishing " + subject)
	}
	for _, subject := range []string{">", "*.>", "facts.>", "_INBOX.>", enrol.InboxPrefix(ada.Author()) + ".>", "$JS.>", "$SYS.>", "vectors.>"} {
		if _, err := eve.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		mustDeny("subscribing " + subject)
	}
	// Headers by which a publication would remove messages, or outlive its own.
	for name, value := range map[string]string{"Nats-Rollup": "all", "Nats-TTL": "1s"} {
		answer, err := eve.RequestMsg(&nats.Msg{Subject: "facts.r1." + own + ".x", Header: nats.Header{name: {value}}, Data: []byte("x")}, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Error *struct{ Description string } }
		if err := json.Unmarshal(answer.Data, &got); err != nil || got.Error == nil {
			t.Errorf("the header %s is accepted: %s %v", name, answer.Data, err)
		}
	}
	h := newHeard()
	follow(t, ada, h, stream.Position{Repo: "r1"})
	h.await(t, ada.Author()+"/a", "one")
	if len(h.data) != 1 {
		t.Errorf("the stream has %v", h.data)
	}
}

// TestRemoved checks that a removed member's connection is cut and stays so, also after a restart,
// while others go on.
func TestRemoved(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	eve := teamtest.Connected(t, stream.Options{Membership: team.Member("Eve")})
	put(t, eve, "r1", "a", "one")
	if err := enrol.Remove(team.Dir, "Eve"); err != nil {
		t.Fatal(err)
	}
	cut := func() {
		t.Helper()
		teamtest.Await(t, "the end of access", func() error {
			if s := eve.State(); s.Connected || !errors.Is(s.LastError, stream.ErrDenied) {
				return fmt.Errorf("the state is %+v", s)
			}
			return nil
		})
		if err := eve.PutFact(t.Context(), "r1", "b", []byte("two")); !errors.Is(err, stream.ErrDenied) {
			t.Errorf("publishing: %v", err)
		}
	}
	cut()
	if s := ada.State(); !s.Connected {
		t.Errorf("another member is %+v", s)
	}
	team.StopNode(1)
	team.StartNodes()
	teamtest.Await(t, "the other member", func() error { return ada.PutFact(t.Context(), "r1", "c", []byte("three")) })
	cut()
}

// TestStrangers checks that credentials of another team are refused.
func TestStrangers(t *testing.T) {
	t.Parallel()
	team, other := nodetest.Start(t, 1, enrol.Options{Encrypt: true}), nodetest.Start(t, 1, enrol.Options{Encrypt: true})
	m := team.Member("Ada")
	for name, o := range map[string]stream.Options{
		// The other team's server has a certificate of another authority.
		"server": {Membership: m, Servers: other.Member("Bob").Servers},
	} {
		c := teamtest.Client(t, o)
		teamtest.Await(t, name, func() error {
			if s := c.State(); s.Connected || s.LastError == nil || !strings.Contains(s.LastError.Error(), "certificate") {
				return fmt.Errorf("the state is %+v", s)
			}
			return nil
		})
	}
	plain := *m
	plain.CA = other.Member("Eve").CA // trusts that server, which does not know the member
	c := teamtest.Client(t, stream.Options{Membership: &plain, Servers: other.Member("Dora").Servers})
	teamtest.Await(t, "a refusal", func() error {
		if s := c.State(); !errors.Is(s.LastError, stream.ErrDenied) {
			return fmt.Errorf("the state is %+v", s)
		}
		return nil
	})
}
