package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// State of what is shared after the daemon died while it was being changed.
const perhapsShared rest = "it may have been done or not; contexture team status shows, and running the command again is safe"

// maxMembership bounds a membership file, as the contract does.
const maxMembership = 64 << 10

func newTeam(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "team",
		Short: "Share rules, decisions, lessons and embeddings with a team",
		Long: `Share what you marked, or what the setting team.share admits, of this repository: rules, decisions, lessons and
references, never conversations. Teammates get them as suggestions with your name. Embeddings of a model server are
shared too, so that a text is embedded once.

A team has a server (init, admit and serve are for the person who runs it), or shares files by Git (export and
import). Nothing here is needed for an answer. contexture help sharing has an example.`,
	}
	f.group(c, newTeamStatus(f))
	f.add(c, newTeamJoin(f), perhapsShared)
	f.add(c, newTeamLeave(f), perhapsShared)
	f.add(c, f.completesID(newTeamShare(f), ruleIDs(confirmed)), perhapsShared)
	f.add(c, newTeamSync(f), perhapsShared)
	f.add(c, newTeamExchange(f, "export", "Write the facts of this repository as files, for Git", "contexture.team.export"), perhapsShared)
	f.add(c, newTeamExchange(f, "import", "Take over the facts in files of this repository", "contexture.team.import"), perhapsShared)
	c.AddCommand(newTeamInit(f), newTeamAdmit(f), newTeamRemove(f), newTeamMembers(f), newTeamServe(f))
	return c
}

func newTeamStatus(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "status",
		Short:   "Show the team of this repository, its server, and what is shared",
		Example: "  contexture team status --json",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			done := func(s *command.TeamStatus) bool { return s.Connected && s.CaughtUp && s.Outbox == 0 }
			ask := askTeam[command.TeamStatus](c, "contexture.team.status", nil)
			return teamCall(f, c, awaitTeam(c, f, ask, done), asJSON, printTeam)
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.team.status")
	return c
}

// awaitTeam asks, and then for the state of sharing until it is done or a moment has passed: a
// process of the command line has only begun to connect when it answers first. Offline it asks
// once.
func awaitTeam(c *cobra.Command, f *flags, ask teamAsk[command.TeamStatus], done func(*command.TeamStatus) bool) teamAsk[command.TeamStatus] {
	const patience, interval = 2 * time.Second, 20 * time.Millisecond
	return func(w *workspace) (*command.TeamStatus, error) {
		s, err := ask(w)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(c.Context(), patience)
		defer cancel()
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for s.Team != "" && !f.offline && !done(s) {
			select {
			case <-ctx.Done():
				return s, nil
			case <-tick.C:
			}
			next, err := call[command.TeamStatus](ctx, w.client, "contexture.team.status", nil)
			switch {
			case ctx.Err() != nil:
				return s, nil
			case err != nil:
				return nil, err
			}
			s = next
		}
		return s, nil
	}
}

// printTeam writes the state of sharing.
func printTeam(e *environment, s *command.TeamStatus) error {
	p := e.outPalette()
	var rows [][]string
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if s.Team == "" {
		add("team", "none; shares by files alone (contexture team export)")
	} else {
		add("team", "%s, as %s", oneLine(s.Team, 80), oneLine(s.Member, 80))
		add("servers", "%s", oneLine(strings.Join(s.Servers, " "), 0))
		if s.Connected {
			add("connection", "%s, %.1f ms", s.Server, s.RTTMS)
		} else {
			add("connection", "%s: %s", p.yellow("none"), oneLine(cmp.Or(s.Problem, "not yet"), 160))
		}
		delivered := "everything is delivered"
		if s.Outbox > 0 {
			delivered = p.yellow(counted(s.Outbox, "fact") + " to be delivered")
		}
		read := "not everything was read yet"
		switch {
		case s.Behind > 0:
			read = p.yellow(counted(s.Behind, "fact") + " to be read")
		case s.CaughtUp:
			read = "everything was read"
		}
		if s.ReadAt != nil {
			read += ", the last fact is of " + s.ReadAt.Format(time.DateTime)
		}
		add("state", "%s; %s", delivered, read)
	}
	add("facts", "%d, %d of them yours", s.Facts, s.Own)
	for _, m := range s.Members {
		note := ""
		switch {
		case m.Own:
			note = " (you)"
		case !m.Proven:
			note = " (not verified)"
		}
		add("", "%s%s: %d", oneLine(m.Name, 80), note, m.Facts)
	}
	if s.Suggestions > 0 {
		add("suggested", "%s (contexture rules list)", counted(s.Suggestions, "rule"))
	}
	if v := s.Vectors; v.Received+v.Published+v.Waiting > 0 {
		add("embeddings", "%d from others (%.0f %%), %d published, %d wait", v.Received, 100*v.Share, v.Published, v.Waiting)
	}
	if n := s.Refused + int(s.Vectors.Refused); n > 0 {
		add("refused", "%s", p.yellow(counted(n, "invalid message")))
	}
	if s.Rivals > 0 {
		add("conflicts", "%s changed by several people who did not know of each other", counted(s.Rivals, "fact"))
	}
	for _, problem := range s.Problems {
		add(p.yellow("problem"), "%s", oneLine(problem, 0))
	}
	return e.show(e.table("", rows))
}

// teamAsk runs a command of a team.
type teamAsk[T any] func(*workspace) (*T, error)

// askTeam returns what runs a command once.
func askTeam[T any](c *cobra.Command, name string, args map[string]any) teamAsk[T] {
	return func(w *workspace) (*T, error) { return call[T](c.Context(), w.client, name, args) }
}

// teamCall runs a command of a team and prints its result.
func teamCall[T any](f *flags, c *cobra.Command, ask teamAsk[T], asJSON bool, print func(*environment, *T) error) error {
	return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
		done, err := ask(w)
		if err != nil {
			return stopped(refusal(err, map[string]string{"membership": "FILE", "id": "ID", "folder": "FOLDER"}))
		}
		if asJSON {
			return printJSON(f.env.stdout, done)
		}
		return print(f.env, done)
	})
}

func newTeamJoin(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "join FILE",
		Short: "Make this repository belong to a team, by the file that its administrator gave you",
		Long: `Make this repository belong to a team. FILE is the membership that contexture team admit wrote for you; it is a
secret, and is copied into the state directory, readable for you only. Only this repository is shared: join again in
another one to share that too.`,
		Example: "  contexture team join ~/anna.team.json",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readSmall(args[0], maxMembership)
			if err != nil {
				return err
			}
			ask := askTeam[command.TeamStatus](c, "contexture.team.join", map[string]any{"membership": string(text)})
			return teamCall(f, c, ask, asJSON, func(e *environment, s *command.TeamStatus) error {
				e.hint("this repository belongs to the team %s now; you are %s", s.Team, s.Member)
				e.see("contexture team status for the connection, contexture team share ID to share something")
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.team.join")
	return c
}

// readSmall reads a file of a bounded size.
func readSmall(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read FILE: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("read FILE: %w", err)
	}
	if int64(len(text)) > most {
		return nil, usage("FILE: %s has more than %d bytes and is no membership", path, most)
	}
	return text, nil
}

func newTeamLeave(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "leave",
		Short: "End sharing of this repository",
		Long: `End sharing of this repository. What teammates suggested is removed, what you accepted stays, and so does what the
team got from you; contexture team share --withhold ID withdraws an item before.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return teamCall(f, c, askTeam[command.TeamLeft](c, "contexture.team.leave", nil), false, func(e *environment, _ *command.TeamLeft) error {
				e.hint("this repository belongs to no team any more")
				return nil
			})
		},
	}
}

func newTeamShare(f *flags) *cobra.Command {
	var withhold, policy bool
	c := &cobra.Command{
		Use:   "share ID",
		Short: "Share a rule, decision, lesson or note, or withdraw it from everybody",
		Long: `Share an item of memory with the team, whatever the setting team.share says. ID is the item's, as contexture rules
list, contexture remember and contexture recall --json write it. With --withhold it is not shared, and what was shared
of it is withdrawn from everybody; with --policy the setting decides again.`,
		Example: "  contexture team share rule-3f2a91c0d4e5b6a7",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			share := "share"
			switch {
			case withhold && policy:
				return usage("--withhold and --policy exclude each other")
			case withhold:
				share = "withhold"
			case policy:
				share = "policy"
			}
			ask := askTeam[command.TeamStatus](c, "contexture.team.share", map[string]any{"id": args[0], "share": share})
			ask = awaitTeam(c, f, ask, func(s *command.TeamStatus) bool { return s.Outbox == 0 })
			return teamCall(f, c, ask, false, func(e *environment, s *command.TeamStatus) error {
				switch {
				case s.Team == "":
					e.hint("noted; this repository belongs to no team: contexture team export writes it into files, contexture team join shares it by a server")
				case s.Outbox == 0:
					e.hint("noted; everything is delivered")
				default:
					e.hint("noted; %s to be delivered", counted(s.Outbox, "fact"))
				}
				for _, problem := range s.Problems {
					e.hint("%s", problem)
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&withhold, "withhold", false, "do not share it, and withdraw it from everybody")
	c.Flags().BoolVar(&policy, "policy", false, "leave it to the setting team.share")
	return c
}

func newTeamSync(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "sync",
		Short: "Exchange facts with the team's servers now, and wait for the end",
		Long: `Exchange facts with the team's servers, and wait at most 15 s until they have yours and you have theirs. A process
that serves an editor or an assistant does so all the time.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return teamCall(f, c, askTeam[command.TeamStatus](c, "contexture.team.sync", nil), asJSON, printTeam)
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.team.sync")
	return c
}

func newTeamExchange(f *flags, name, short, id string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   name + " [FOLDER]",
		Short: short,
		Long: short + `. FOLDER is below the workspace; .contexture/team if absent. Each fact is a
file of its own, the same bytes from every clone, signed by its author. What was withdrawn loses its file; it stays in
Git's history.`,
		Example: "  contexture team " + name,
		Args:    atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			call := map[string]any{}
			if len(args) == 1 {
				call["folder"] = args[0]
			}
			return teamCall(f, c, askTeam[command.TeamExchanged](c, id, call), asJSON, func(e *environment, x *command.TeamExchanged) error {
				if name == "export" {
					e.hint("%s in %s; %d written, %d removed", counted(x.Facts, "fact"), x.Folder, x.Written, x.Removed)
				} else {
					e.hint("%s in %s, %d of them new", counted(x.Facts, "fact"), x.Folder, x.New)
				}
				for _, problem := range x.Problems {
					e.hint("left out: %s", problem)
				}
				if len(x.Problems) > 0 {
					return errors.New("files that hold no fact of this repository were left out")
				}
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of "+id)
	return c
}
