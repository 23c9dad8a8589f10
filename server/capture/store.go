package capture

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// store passes messages to the store, by session and in order, and counts them.
func (f *Follower) store(ctx context.Context, g *logFile, found *Found) error {
	m := g.mark
	if m.Sessions == nil {
		m.Sessions = map[string]sessionMark{}
	}
	list := found.additions()
	for _, a := range list {
		g.date(a.Messages)
		session := a.session
		known := m.Sessions[session]
		if known.Cwd == "" {
			known.Cwd = a.Cwd
		}
		a.Cwd = known.Cwd
		a.Conversation = ConversationID(g.source.name, session)
		if a.Session.ForkOf != "" {
			known.ForkOf = a.Session.ForkOf
		}
		if known.ForkOf != "" {
			a.Addition.ForkOf = ConversationID(g.source.name, known.ForkOf)
			a.ForkAt = cmp.Or(a.ForkAt, known.ForkAt)
		}
		if a.Title == "" {
			a.Title = g.titles[session]
		}
		if len(a.Messages) == 0 && known.Messages == 0 && a.Title != "" {
			if g.titles == nil {
				g.titles = map[string]string{}
			}
			g.titles[session] = a.Title // until there is a conversation
		} else if left := f.leaves(g, session, a); left != "" {
			known.Left = left
		} else if len(a.Messages) > 0 || a.Title != "" {
			a.Turn = g.turn
			done, err := f.opts.Store.Store(ctx, a.Addition)
			if err != nil {
				return err
			}
			known.Messages += done.Added
			known.ForkAt = cmp.Or(done.Shared, known.ForkAt)
			if done.Wait != nil {
				g.waits = append(g.waits, done.Wait)
			}
			known.Left = done.Left
			delete(g.titles, session)
		}
		if known != (sessionMark{}) {
			m.Sessions[session] = known
		}
	}
	m.count(found)
	return nil
}

// count adds what was not read.
func (m *mark) count(found *Found) {
	for kind, u := range found.Unknown {
		sum, seen := m.Unknown[kind]
		if !seen {
			sum = UnknownRecords{File: m.Path, Line: u.Line}
		}
		sum.Count += u.Count
		if m.Unknown == nil {
			m.Unknown = map[string]UnknownRecords{}
		}
		m.Unknown[kind] = sum
	}
	m.Unread = mergeUnread(append(m.Unread, found.Unread...))
	for kind, n := range found.Skipped {
		if m.Skipped == nil {
			m.Skipped = map[string]int{}
		}
		m.Skipped[kind] += n
	}
}

// leaves returns why an addition to a session is not stored, "" if it is: its workspace is not
// known, or the session is stored from a log in another form, in which its messages have other ids.
func (f *Follower) leaves(g *logFile, session string, a *sessionAddition) string {
	if a.Unplaced != "" || len(a.Messages) == 0 || !g.source.hasForms(f.opts.Environment) {
		return a.Unplaced
	}
	if g.turn != nil {
		g.turn() // the log to be preferred is read first
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	forms := f.forms[g.source.name]
	if forms == nil {
		forms = map[string]string{}
		marks, err := readMarks(f.opts.StateDir, g.source.name)
		if err != nil {
			f.log.Warn("capture", "err", err)
		}
		for _, m := range marks {
			for name, s := range m.Sessions {
				if s.Messages > 0 {
					forms[name] = g.source.formatOf(f.opts.Environment, m.Path).form()
				}
			}
		}
		f.forms[g.source.name] = forms
	}
	if form := forms[session]; form != "" && form != g.form() {
		return LeftElsewhere
	}
	forms[session] = g.form()
	return ""
}

// date gives messages without a time that of the message before, or else of the one after, instead
// of the time at which an old log is read. If no message has a time, they get the time of the log's
// last change.
func (g *logFile) date(messages []dialogue.Message) {
	at := time.Time{}
	if i := slices.IndexFunc(messages, func(m dialogue.Message) bool { return !m.At.IsZero() }); i >= 0 {
		at = messages[i].At
	} else if info, err := os.Stat(g.path); err == nil {
		at = info.ModTime().UTC()
	}
	for i := range messages {
		if m := &messages[i]; m.At.IsZero() {
			m.At = at
		} else {
			at = m.At
		}
	}
}

// sessionAddition is an Addition whose conversation is not yet named.
type sessionAddition struct {
	session string
	Addition
}

// additions groups what was found by session, in the order of the sessions' first messages.
func (f *Found) additions() []*sessionAddition {
	var out []*sessionAddition
	by := map[string]*sessionAddition{}
	of := func(session string) *sessionAddition {
		a := by[session]
		if a == nil {
			a = &sessionAddition{session: session, Addition: Addition{Session: f.Sessions[session]}}
			by[session] = a
			out = append(out, a)
		}
		return a
	}
	for _, m := range f.Messages {
		a := of(m.Session)
		a.Messages = append(a.Messages, m.Message)
	}
	for session := range f.Sessions {
		of(session)
	}
	return out
}
