//go:build linux

package bench

import (
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
)

// The simulated year. CONTEXTURE_SESSIONS sets another number of sessions, CONTEXTURE_LEARN_DAYS
// another number of days between two runs of the learning than seven.
const (
	yearSessions = 2000
	yearAsked    = 60 // questions on each of the months asked about
	yearBudget   = 2000
)

// year measures memory over a year of daily work: the learning runs once a week, in the last week
// every day, and at the end questions on months 1, 6 and 12 are asked.
func (t *talks) year() error {
	sessions := yearSessions
	if n, err := strconv.Atoi(os.Getenv("CONTEXTURE_SESSIONS")); err == nil {
		sessions = n
	}
	l := newLife(1)
	y := &lived{table: &t.table}
	if err := t.with(func(c *client) error { return y.live(c, l, sessions) }); err != nil {
		return err
	}
	disk, err := allocated(filepath.Join(t.state, "memory", "db"))
	if err != nil {
		return err
	}
	whole, err := allocated(t.state)
	if err != nil {
		return err
	}
	t.table.add("a year: the text", mb(int64(y.bytes)), 0, " MiB", "%d sessions, %d messages", sessions, y.messages)
	t.table.add("a year: memory on disk", float64(disk)/float64(y.bytes), 3, " × the text", "%.0f MiB; %.0f MiB with checkpoints and all else in the state directory", mb(disk), mb(whole))
	return t.with(func(c *client) error { return y.ask(c, l) })
}

// allocated returns the disk space of the files below a folder, counting each file once however
// many names it has.
func allocated(dir string) (total int64, err error) {
	seen := map[uint64]bool{}
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if file := info.Sys().(*syscall.Stat_t); !seen[file.Ino] {
			seen[file.Ino] = true
			total += info.Size()
		}
		return nil
	})
	return total, err
}

// lived is the result of a year.
type lived struct {
	table           *table
	bytes, messages int
	took            []time.Duration // of each run of the learning
}

// live appends the sessions day by day.
func (y *lived) live(c *client, l *life, sessions int) error {
	pid := c.cmd.Process.Pid
	start, done, every := l.now, 0, 7
	if n, err := strconv.Atoi(os.Getenv("CONTEXTURE_LEARN_DAYS")); err == nil && n > 0 {
		every = n
	}
	var appending time.Duration
	for day := range lifeDays {
		at := start.Add(time.Duration(day) * 24 * time.Hour)
		used, err := c.used()
		if err != nil {
			return err
		}
		for ; done < sessions*(day+1)/lifeDays; done++ {
			s := l.next(at)
			at = l.now.Add(10 * time.Minute)
			if err := y.append(c, s); err != nil {
				return err
			}
		}
		learns := day%every == every-1 || day >= lifeDays-7
		if learns {
			err = c.calm()
		}
		spent, usedErr := used()
		if err := cmp.Or(err, usedErr); err != nil {
			return err
		}
		if appending += spent; !learns {
			continue
		}
		if err := y.learn(c); err != nil {
			return err
		}
		if day%28 == 27 {
			peak, err := memory(pid, "VmHWM")
			if err != nil {
				return err
			}
			fmt.Printf("day %d: %d sessions, %.0f MiB of text, a run takes %.1f s of a processor, peak RSS %.0f MiB\n", day+1, done, mb(int64(y.bytes)), y.took[len(y.took)-1].Seconds(), mb(peak))
		}
	}
	y.table.add("a year: CPU of appending", ms(appending)/float64(y.messages), 0, " ms", "a message, with the versions that are made of its turn")
	most := percentile(y.took[len(y.took)-7:], 1)
	peak, err := memory(pid, "VmHWM")
	if err != nil {
		return err
	}
	y.table.add("a year: CPU of a day's run at its end", most.Seconds(), 60, " s", "the dearest of the last seven; %d runs took %.0f s, the first %.1f s", len(y.took), sum(y.took).Seconds(), y.took[0].Seconds())
	y.table.add("a year: peak RSS", mb(peak), 400, " MiB", "of the server, runs and appends")
	return nil
}

func (y *lived) append(c *client, s session) error {
	y.bytes, y.messages = y.bytes+s.bytes, y.messages+len(s.messages)
	return c.command("contexture.conversation.append", map[string]any{"conversationId": s.id, "messages": s.messages}, nil)
}

// learn runs the offline learning once.
func (y *lived) learn(c *client) error {
	used, err := c.used()
	if err != nil {
		return err
	}
	if err := c.command("contexture.knowledge.process", map[string]any{}, nil); err != nil {
		return err
	}
	spent, err := used()
	y.took = append(y.took, spent)
	return err
}

// ask asks about the first, the middle and the last month.
func (y *lived) ask(c *client, l *life) error {
	shares := map[int]float64{}
	for _, month := range []int{1, 6, 12} {
		list := l.of(month, yearAsked)
		found, told, err := answered(c, list)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("nothing was settled in month %d", month)
		}
		shares[month] = 100 * float64(found) / float64(len(list))
		y.table.add(fmt.Sprintf("a year: recall at %d tokens of month %d", yearBudget, month), shares[month], 0, " %", "%d of %d questions find the turn that settled it, %d show the value", found, len(list), told)
	}
	y.table.add("a year: month 1 behind month 12", shares[12]-shares[1], 5, " points", "")
	return nil
}

// answered counts the questions whose answer has the message that settled the matter, and those
// that show its value.
func answered(c *client, list []*affair) (found, told int, err error) {
	for _, a := range list {
		var r struct {
			Items []struct {
				MessageIDs []string `json:"messageIds"`
			} `json:"items"`
			Text string `json:"text"`
		}
		query := fmt.Sprintf(a.concern.question+"%[2]s", a.service, "")
		if err := c.command("contexture.recall", map[string]any{"query": query, "budget": yearBudget}, &r); err != nil {
			return 0, 0, err
		}
		has := false
		for _, it := range r.Items {
			for _, id := range it.MessageIDs {
				has = has || id == a.evidence
			}
		}
		if has {
			found++
		}
		if strings.Contains(r.Text, a.value) {
			told++
		}
		if os.Getenv("CONTEXTURE_MISSES") != "" && !has {
			fmt.Printf("missed %s (%s, month %d): %s → %s\n", a.evidence, a.value, a.month, query, r.Text)
		}
	}
	return found, told, nil
}

// TestYear runs Memory/year for a few sessions, on a clock that follows the year.
func TestYear(t *testing.T) {
	const sessions = 60
	runEvery := 10
	if testing.Short() {
		runEvery = sessions // once at the end
	}
	l := newLife(1)
	start := l.now
	var now atomic.Int64
	now.Store(start.Unix())
	v, err := server.New(engine.Options{
		Version: "test", StateDir: t.TempDir(), ConfigDir: t.TempDir(), Home: t.TempDir(), Now: func() time.Time { return time.Unix(now.Load(), 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	near, far := net.Pipe()
	var session sync.WaitGroup
	session.Go(func() {
		if _, err := v.Serve(t.Context(), near, engine.SessionOptions{Offline: true}); err != nil {
			t.Error(err)
		}
	})
	defer session.Wait()
	c := newClient(nil, far, t.TempDir())
	if err := c.hello(far); err != nil {
		t.Fatal(err)
	}
	y := &lived{table: &table{}}
	for i := range sessions {
		s := l.next(start.Add(time.Duration(i) * (lifeDays * 24 * time.Hour / sessions)))
		now.Store(l.now.Unix())
		if err := y.append(c, s); err != nil {
			t.Fatal(err)
		}
		if i%runEvery == runEvery-1 {
			if err := c.command("contexture.knowledge.process", map[string]any{}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, half := range []struct {
		name     string
		from, to int
	}{{"the first half", 1, 6}, {"the second half", 7, 13}} {
		var list []*affair
		for month := half.from; month <= half.to; month++ {
			list = append(list, l.of(month, sessions)...)
		}
		found, told, err := answered(c, list)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < 8 || 2*found < len(list) || told < found-1 {
			t.Errorf("%s: of %d matters %d are found and %d show what was settled", half.name, len(list), found, told)
		}
	}
	var episodes struct {
		Items []struct {
			ID, Title  string
			Quotations []struct{ Text string }
		} `json:"items"`
	}
	for _, kind := range []string{"episode", "month"} {
		if err := c.command("contexture.knowledge.list", map[string]any{"kind": kind}, &episodes); err != nil {
			t.Fatal(err)
		}
		if n := len(episodes.Items); n < 6 || n > sessions || episodes.Items[0].Title == "" {
			t.Errorf("%d items of kind %s, of %d sessions", n, kind, sessions)
		}
	}
	if err := c.stop(); err != nil {
		t.Fatal(err)
	}
}
