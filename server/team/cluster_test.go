package team

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// rounds is how often something is disturbed in the day over a cluster.
var rounds = 9

// real makes a person's process connect to the team's servers, not to a hub.
func (p *person) real() {
	p.teams.dial = func(ctx context.Context, m *enrol.Membership, _ int) (Link, error) {
		return stream.Open(ctx, stream.Options{Membership: m, Log: p.engine.Log, Tune: stream.Tuning{
			ReconnectSpread: 20 * time.Millisecond, MaxReconnectDelay: 200 * time.Millisecond, Poll: time.Second, RewindGrace: time.Second,
		}})
	}
}

// Three machines' worth of state share a day of work over three servers, while servers and people's
// processes end and start again and the network splits. In the end all have the same: nothing is
// lost, doubled or wrong. Somebody without a server has the same by Git.
func TestDayOverCluster(t *testing.T) {
	servers := teamtest.StartProcesses(t, 3, enrol.Options{})
	c := newCrew(t)
	c.folder = servers.Dir
	var people []*person
	for _, name := range []string{"Anna", "Ben", "Cem"} {
		p := c.person(name)
		p.real()
		p.join(c.folder)
		people = append(people, p)
	}
	want := map[string]string{} // text → author
	for i := range rounds {
		victim := i%3 + 1
		p := people[(i+1)%3]
		switch i % 5 {
		case 0:
			servers.Kill(victim)
		case 1:
			servers.Isolate(victim, true)
		case 2:
			p.close()
		case 3:
			servers.Hold(victim, true)
		case 4: // two servers at once: nothing is acknowledged meanwhile
			servers.Kill(victim)
			servers.Kill(victim%3 + 1)
		}
		for _, q := range people {
			if i%5 == 2 && q == p {
				continue
			}
			text := fmt.Sprintf("lesson %d of %s", i, q.name)
			q.shares("lesson", text)
			want[text] = q.name
		}
		switch i % 5 {
		case 0:
			servers.Start(victim)
		case 1:
			servers.Isolate(victim, false)
		case 2:
			p.open()
			p.teams.Close()
			p.teams = New(p.engine)
			p.real()
			p.teams.Start(context.WithoutCancel(t.Context()))
		case 3:
			servers.Hold(victim, false)
		case 4:
			servers.Start(victim)
			servers.Start(victim%3 + 1)
		}
	}
	// What is changed and removed at the end of the day.
	for _, p := range people {
		gone := fmt.Sprintf("lesson 0 of %s", p.name)
		if err := p.memory().DeleteKnowledge(p.item(gone)); err != nil {
			t.Fatal(err)
		}
		delete(want, gone)
	}
	for _, p := range people {
		p.delivers()
	}
	for _, p := range people {
		p.until(func() bool { return len(differences(p, want)) == 0 }, func() string { return strings.Join(differences(p, want), "; ") })
	}
	gina := c.person("Gina")
	for _, p := range people {
		if _, err := p.teams.Export(t.Context(), p.root, Folder); err != nil {
			t.Fatal(err)
		}
	}
	sameFolder(t, filepath.Join(people[0].root, Folder), filepath.Join(people[1].root, Folder))
	sameFolder(t, filepath.Join(people[0].root, Folder), filepath.Join(people[2].root, Folder))
	if err := os.CopyFS(filepath.Join(gina.root, Folder), os.DirFS(filepath.Join(people[0].root, Folder))); err != nil {
		t.Fatal(err)
	}
	if _, err := gina.teams.Import(t.Context(), gina.root, Folder); err != nil {
		t.Fatal(err)
	}
	if lack := differences(gina, want); len(lack) > 0 {
		t.Errorf("Gina: %s", strings.Join(lack, "; "))
	}
	took := latencies(t, people[0], people[1], 20)
	t.Logf("%d facts; from storing one to a teammate's memory: median %v, p95 %v", len(want), took[len(took)/2], took[len(took)*95/100])
	if p95 := took[len(took)*95/100]; p95 > 2*time.Second {
		t.Errorf("p95 is %v", p95)
	}
}

// differences returns what somebody has otherwise than they should: the lessons of all, each once.
func differences(p *person, want map[string]string) (out []string) {
	v := p.memory().View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Lesson})
	if err != nil {
		return []string{err.Error()}
	}
	seen := map[string]int{}
	for i := range items {
		it := &items[i]
		seen[it.Content]++
		by := p.name
		if it.Team != nil {
			by = it.Team.Name
		}
		if want[it.Content] != by {
			out = append(out, fmt.Sprintf("%q is %s's, not %s's", it.Content, by, want[it.Content]))
		}
	}
	for text := range want {
		if seen[text] != 1 {
			out = append(out, fmt.Sprintf("%q is there %d times", text, seen[text]))
		}
	}
	return out
}

// latencies returns how long facts of one person take until another has them, sorted.
func latencies(t *testing.T, from, to *person, n int) (out []time.Duration) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf("latency %d", i)
		began := time.Now()
		from.shares("lesson", text)
		to.awaits(text, "candidate by "+from.name)
		out = append(out, time.Since(began))
	}
	slices.Sort(out)
	return out
}
