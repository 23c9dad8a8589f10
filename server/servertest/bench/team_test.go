//go:build linux

package bench

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

// BenchmarkTeam compares bundles of a member whose team's server accepts connections and never
// answers with those of somebody without a team, in turn.
func BenchmarkTeam(b *testing.B) {
	r := &run{load: load()}
	r.program(b)
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	if err := r.teamHangs(b); err != nil {
		b.Fatal(err)
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
}

// silent is a server that accepts and reads, and never answers.
type silent struct {
	net.Listener
	conns sync.WaitGroup
}

func listenSilently(b *testing.B) (*silent, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &silent{Listener: l}
	var mu sync.Mutex
	var open []net.Conn
	s.conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
		}
	})
	b.Cleanup(func() {
		l.Close()
		s.conns.Wait()
		for _, c := range open {
			c.Close()
		}
	})
	return s, nil
}

func (r *run) teamHangs(b *testing.B) (err error) {
	server, err := listenSilently(b)
	if err != nil {
		return err
	}
	dir := filepath.Join(b.TempDir(), "team")
	if err := enrol.Init(dir, enrol.Options{Team: "Core", Servers: []string{server.Addr().String()}}); err != nil {
		return err
	}
	membership, err := enrol.Admit(dir, "Anna")
	if err != nil {
		return err
	}
	root := b.TempDir()
	if err := sources(root, 0, 60); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git: %w: %s", err, out)
		}
	}
	var clients []*client
	for _, joins := range []bool{false, true} {
		// Not --offline, under which no server of a team is asked.
		c, err := greet(exec.Command(r.bin, "serve", "--daemon=off", "--state-dir", b.TempDir(), "--root", root), root)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.stop()) }()
		if _, err := c.ready(50 * time.Millisecond); err != nil {
			return err
		}
		for i := range 50 {
			args := map[string]any{"kind": "lesson", "text": fmt.Sprintf("lesson %d: run `make gen%d` after handler %d changes", i, i, i)}
			if err := c.command("contexture.remember", args, nil); err != nil {
				return err
			}
		}
		if joins {
			if err := c.command("contexture.team.join", map[string]any{"membership": string(membership)}, nil); err != nil {
				return err
			}
		}
		clients = append(clients, c)
	}
	times := [2][]time.Duration{}
	for round := range 15 {
		for k := range clients {
			list, err := clients[(round+k)%2].bundles(asking("team", 20))
			if err != nil {
				return err
			}
			for _, t := range list {
				if round > 0 { // the first fills the caches that are full in use
					times[(round+k)%2] = append(times[(round+k)%2], t.took)
				}
			}
		}
	}
	alone, joined := percentile(times[0], .5), percentile(times[1], .5)
	r.table.add("bundle, the team's server hangs, against no team: p50", float64(joined)/float64(alone), 1.05, " ×", "%.2f ms against %.2f ms, %d bundles each, in turn", ms(joined), ms(alone), len(times[0]))
	return nil
}
