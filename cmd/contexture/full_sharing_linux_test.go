package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// TestShareOnFullDisk shares while the disk of one member is full: what was acknowledged reaches
// the other, what was refused is named and can be shared again when there is room, and what the
// other shares meanwhile arrives then, once.
func TestShareOnFullDisk(t *testing.T) {
	t.Parallel()
	const lessons = 40
	team := teamtest.StartProcesses(t, 1, enrol.Options{})
	members := sharers(t, team, "Anna", "Ben")
	anna, ben := members[0], members[1]
	p, annas := anna.start(t)
	_, bens := ben.start(t)
	shared := func(e *servertest.Editor, id string) error {
		return e.Execute("contexture.team.share", map[string]any{"id": id, "share": "share"}, nil)
	}
	remembered := func(e *servertest.Editor, s *sharer) (id, text string) {
		s.count++
		text = fmt.Sprintf("lesson %d of %s", s.count, s.name)
		var it command.RememberResult
		e.MustExecute("contexture.remember", map[string]any{"kind": "lesson", "text": text}, &it)
		return it.Item.ID, text
	}
	ids := map[string]string{}
	for range lessons {
		id, text := remembered(annas, anna)
		ids[text] = id
	}
	first, text := remembered(annas, anna)
	if err := shared(annas, first); err != nil {
		t.Fatal(err)
	}
	anna.acked[text] = true
	bens.Eventually("Ben has the first", func() bool { return len(anna.lacking(ben.texts(t, bens))) == 0 })

	const room = 10 << 10
	teamtest.Full(t, p.cmd.Process.Pid, ledgerBytes(t, anna.state)+room)
	for text, id := range ids {
		err := shared(annas, id)
		var refused *servertest.Error
		switch {
		case err == nil:
			anna.acked[text] = true
			delete(ids, text)
		case !errors.As(err, &refused) || !strings.Contains(err.Error(), "room"):
			t.Fatal(err)
		}
	}
	if acked := len(anna.acked); acked < 2 || len(ids) == 0 {
		t.Errorf("%d were shared and %d refused", acked, len(ids))
	}
	for range lessons {
		id, text := remembered(bens, ben)
		if err := shared(bens, id); err != nil {
			t.Fatal(err)
		}
		ben.acked[text] = true
	}
	bens.Eventually("Ben's are delivered", func() bool {
		var status command.TeamStatus
		bens.MustExecute("contexture.team.status", nil, &status)
		return status.Outbox == 0
	})
	var b command.BundleResult
	annas.MustExecute("contexture.bundle", map[string]any{"prompt": "what adds 7?"}, &b)

	// Memory says that it needs a start anew. This is no clean end, as where a machine is reset.
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.left()
	_, annas = anna.start(t)
	for text, id := range ids {
		if err := shared(annas, id); err != nil {
			t.Error(err)
		}
		anna.acked[text] = true
	}
	for _, m := range []struct {
		s, other *sharer
		e        *servertest.Editor
	}{{anna, ben, annas}, {ben, anna, bens}} {
		m.e.Eventually(m.s.name+" has what "+m.other.name+" shared", func() bool { return len(m.other.lacking(m.s.texts(t, m.e))) == 0 })
		for text, n := range m.s.texts(t, m.e) {
			if n != 1 || !m.other.acked[text] {
				t.Errorf("%s has %q %d times", m.s.name, text, n)
			}
		}
	}
}

// ledgerBytes returns the size of the file with a member's facts.
func ledgerBytes(t *testing.T, state string) (size uint64) {
	t.Helper()
	err := filepath.WalkDir(state, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "facts.jsonl" {
			return err
		}
		info, err := d.Info()
		size += uint64(info.Size())
		return err
	})
	if err != nil || size == 0 {
		t.Fatalf("no facts in %s: %v", state, err)
	}
	return size
}
