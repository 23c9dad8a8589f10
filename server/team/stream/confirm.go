package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

// Fact is a fact of the member's own that was published.
type Fact struct {
	Repo, ID string
	Data     []byte
}

// Confirm reads facts back from each server, and returns for each how many replicas hold exactly
// it, of how many. A fact that a majority holds is safe: no server that was healthy at this time
// can lose it alone. It is more than the acknowledgement, which a faulty disk or a server without
// `sync_interval: always` may break.
//
// Each server of the membership is asked over a connection of its own. A server answers from its
// own replica if it has one; one that the leader does not see as up to date is not counted, since
// another may answer for it. Errors are those of [Client.PutFact]; servers that do not answer are
// no error but count as not holding.
func (c *Client) Confirm(ctx context.Context, facts []Fact) (holding []int, of int, err error) {
	subjects := make([]string, len(facts))
	for i, f := range facts {
		if subjects[i], err = subject(factPrefix, f.Repo, c.author, f.ID); err != nil {
			return nil, 0, fmt.Errorf("confirm facts: %w", err)
		}
	}
	r, err := run(ctx, c, func(ctx context.Context) (replicas, error) { return c.confirm(ctx, subjects, facts) })
	if err != nil {
		return nil, 0, fmt.Errorf("confirm facts: %w", err)
	}
	return r.holding, r.of, nil
}

// replicas is how many replicas hold each of some facts, of how many there are.
type replicas struct {
	holding []int
	of      int
}

func (c *Client) confirm(ctx context.Context, subjects []string, facts []Fact) (replicas, error) {
	l, err := c.need()
	if err != nil {
		return replicas{}, err
	}
	info, err := l.info(ctx, enrol.FactStream)
	if err != nil {
		return replicas{}, err
	}
	current, counts := info.current(l.nc.ConnectedServerName()), make([]int, len(facts))
	for _, server := range c.o.Servers {
		if err := c.confirmAt(ctx, server, current, subjects, facts, counts); err != nil {
			c.o.Log.Debug("a server confirms nothing", "server", server, "err", err)
		}
		if ctx.Err() != nil {
			return replicas{}, ctx.Err()
		}
	}
	return replicas{counts, max(info.Config.Replicas, 1)}, nil
}

// current returns the names of the servers whose replicas are up to date, where only is that of a
// server without a cluster.
func (s *streamInfo) current(only string) map[string]bool {
	if s.Cluster == nil {
		return map[string]bool{only: true}
	}
	out := map[string]bool{s.Cluster.Leader: true}
	for _, r := range s.Cluster.Replicas {
		if r.Current {
			out[r.Name] = true
		}
	}
	return out
}

// confirmAt asks one server and counts what it holds. A server is asked once, even if it has
// several addresses.
func (c *Client) confirmAt(ctx context.Context, server string, current map[string]bool, subjects []string, facts []Fact, counts []int) error {
	l, _, err := c.connect(ctx, server)
	if err != nil {
		return err
	}
	defer l.close()
	name := l.nc.ConnectedServerName()
	if !current[name] {
		return fmt.Errorf("%s is not up to date, or was asked already", name)
	}
	delete(current, name)
	for i, s := range subjects {
		data, err := l.lastData(ctx, enrol.FactStream, s)
		switch {
		case errors.Is(err, errNone):
		case err != nil:
			return err
		case bytes.Equal(data, facts[i].Data):
			counts[i]++
		}
	}
	return nil
}
