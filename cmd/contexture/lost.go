package main

import (
	"errors"
	"fmt"

	index "github.com/contexture-dev/contexture/indexer/store"
	memory "github.com/contexture-dev/contexture/memory/store"
	"github.com/spf13/cobra"
)

// Handling of commands whose daemon is lost, or whose stores another process has locked.

// lostError reports that a session ended before the command did. What the command has done until
// then is unknown.
type lostError struct {
	late bool // the command was told to stop and did not
	err  error
}

func (e *lostError) Error() string {
	if e.late {
		return "it did not stop within " + durationText(stopPatience)
	}
	return e.err.Error()
}

// rest describes the state after the daemon died during a command, for commands that may have
// changed something. It is empty if a command changes nothing, so that it can be run again.
type rest string

const (
	onlyReads  rest = ""
	perhapsIn  rest = "either all of it was imported or nothing; importing it again is safe"
	perhapsOut rest = "what was to be forgotten may still be there; run the command again to be sure"
)

// attempts is how often a command is started: daemons come and go, but not constantly.
const attempts = 4

// served runs a command that queries the server. A command that only reads runs again, with another
// daemon or in this process, if its daemon was lost before it printed anything. Any command runs
// again once if a store is locked, since a daemon may have started in the meantime.
func (f *flags) served(known rest, run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		wasLocked := false
		for n := 1; ; n++ {
			err := run(c, args)
			lost, isLost := errors.AsType[*lostError](err)
			switch {
			case isLost && n < attempts && known == onlyReads && !f.env.printed() && !lost.late && c.Context().Err() == nil:
			case isLost:
				return known.lost(lost, f.env.printed())
			case !isLocked(err):
				return err
			case f.undialled == nil: // the daemon found it locked
				return err
			case !errors.Is(f.undialled, errNoDaemon):
				return fmt.Errorf("%w; the daemon there cannot be reached: %w", err, f.undialled)
			case wasLocked || f.env.dial == nil:
				return err
			default:
				wasLocked = true
			}
		}
	}
}

// isLocked reports whether another process has a store open. Nothing but problems with settings was
// printed until then.
func isLocked(err error) bool {
	_, inIndex := errors.AsType[*index.LockedError](err)
	_, inMemory := errors.AsType[*memory.LockedError](err)
	return inIndex || inMemory
}

// lost returns the error for a daemon that was lost during a command.
func (known rest) lost(e *lostError, printed bool) error {
	text := "the daemon was lost in the middle of the command (" + e.Error() + ")"
	switch {
	case known != onlyReads:
		text += ": " + string(known)
	case printed:
		text += ": the answer is not complete; run the command again"
	default:
		text += "; run the command again"
	}
	return errors.New(text)
}
