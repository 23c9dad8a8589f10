package main

import (
	"errors"
	"fmt"

	index "github.com/contexture-dev/contexture/indexer/store"
	memory "github.com/contexture-dev/contexture/memory/store"
	"github.com/spf13/cobra"
)

// What becomes of a command whose daemon is lost, or whose stores another process has locked.

// lostError says that a session ended before the command did. What it has done by then is not
// known.
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

// rest is what is known of a command whose daemon died: what to tell of the work that may have been
// done. Empty where a command changes nothing, so that it can be run again.
type rest string

const (
	onlyReads  rest = ""
	perhapsIn  rest = "either all of it was imported or nothing; importing it again is safe"
	perhapsOut rest = "what was to be forgotten may still be there; run the command again to be sure"
)

// attempts is how often a command is begun: daemons come and go, but not all the time.
const attempts = 4

// served runs a command that asks the server. One that only reads is run again where its daemon was
// lost before it printed anything, with another daemon or in this process; and every one is where a
// store is locked, once, since a daemon may have come meanwhile.
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
				return fmt.Errorf("%w; the daemon there cannot be asked: %w", err, f.undialled)
			case wasLocked || f.env.dial == nil:
				return err
			default:
				wasLocked = true
			}
		}
	}
}

// isLocked reports that another process has a store open. Nothing was printed then but what is
// wrong with settings.
func isLocked(err error) bool {
	_, inIndex := errors.AsType[*index.LockedError](err)
	_, inMemory := errors.AsType[*memory.LockedError](err)
	return inIndex || inMemory
}

// lost returns what is known when the daemon is gone in the middle of a command.
func (known rest) lost(e *lostError, printed bool) error {
	text := "the daemon was lost in the middle of the command (" + e.Error() + ")"
	switch {
	case known != onlyReads:
		text += ": " + string(known)
	case printed:
		text += ": the answer is not whole; run the command again"
	default:
		text += "; run the command again"
	}
	return errors.New(text)
}
