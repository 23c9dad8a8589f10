package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/contexture-dev/contexture/server/team"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// teamPatience bounds how long a team's server is waited for.
const teamPatience = time.Second

// checkTeams reports the teams of this state directory and lists their servers, which get what the
// person shares. It only connects to them; nothing of the person's is sent.
func (p *patient) checkTeams(ctx context.Context) {
	const check = "team"
	if p.state == "" {
		return
	}
	list, err := team.Memberships(p.state)
	if err != nil {
		p.add(check, warning, err.Error(), "nothing is shared until the file can be read; remove it and join again with contexture team join")
		return
	}
	for _, k := range list {
		if k.Err != nil {
			p.add(check, warning, k.Err.Error(), "ask for a new membership, and run contexture team join with it")
			continue
		}
		m := k.Membership
		reached := 0
		for _, server := range m.Servers {
			state := "not asked"
			if !p.f.offline {
				if state = reachable(ctx, server); state == "reachable" {
					reached++
				}
			}
			p.endpoint(server, "the team "+m.Team+": what you share, sealed with its key, and embeddings", state)
		}
		detail := fmt.Sprintf("%s, as %s, with %s", m.Team, m.Member, counted(k.Repositories, "repository"))
		switch {
		case p.f.offline:
			p.add(check, fine, detail+"; not asked: --offline", "")
		case reached == 0:
			p.add(check, warning, detail+"; none of its servers answers", "everything else works, and what you share is sent when one answers; contexture team status has the reason")
		case p.refusedBy(ctx, m, detail):
		default:
			p.add(check, fine, fmt.Sprintf("%s; %d of %s answer", detail, reached, counted(len(m.Servers), "server")), "")
		}
	}
}

// refusedBy reports whether the servers of a team, which answer, do not take the member, and adds
// that with a detail.
func (p *patient) refusedBy(ctx context.Context, m *enrol.Membership, detail string) bool {
	ctx, cancel := context.WithTimeout(ctx, teamPatience)
	defer cancel()
	err := team.Reach(ctx, m)
	switch {
	case err == nil:
		return false
	case errors.Is(err, stream.ErrDenied):
		p.add("team", warning, detail+"; its servers deny access", "ask for a new membership, and run contexture team join with it, or contexture team leave")
	default:
		p.add("team", warning, fmt.Sprintf("%s; %v", detail, err), "what listens there may be another program, or a server that starts; contexture team status has the reason")
	}
	return true
}

// reachable connects to a server and says whether it answers.
func reachable(ctx context.Context, server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "unreachable"
	}
	ctx, cancel := context.WithTimeout(ctx, teamPatience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return "unreachable"
	}
	if conn.Close() != nil {
		return "unreachable"
	}
	return "reachable"
}
