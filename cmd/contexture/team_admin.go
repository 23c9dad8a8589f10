package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/spf13/cobra"
)

// The commands for the person who runs a team's server work on the team's folder alone: they need
// no workspace, no memory and no server.

func newTeamInit(f *flags) *cobra.Command {
	var o enrol.Options
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Make a team: keys, credentials and the configuration of its servers",
		Long: `Make a team in the folder DIR, which must be empty or not exist: the keys of operator and account, and a folder
node-1, node-2 and so on for each server, which runs under contexture team serve or a nats-server of version 2.15 or
newer. Without --server it is one server on this machine. A team for more than one machine needs three.

The folder is a secret. Only the folders of the servers are copied to their machines.`,
		Example: "  contexture team init ~/core --name Core --server nats1.example:4222 --server nats2.example:4222 --server nats3.example:4222",
		Args:    exactlyOne,
		RunE: untilClosed(func(_ *cobra.Command, args []string) error {
			if o.Team == "" {
				return usage("--name: is missing: how people call the team")
			}
			if err := enrol.Init(args[0], o); err != nil {
				return err
			}
			f.env.hint("made the team %s in %s", o.Team, args[0])
			f.env.see("contexture team serve --dir %s to run its server, contexture team admit --dir %[1]s NAME for each member", shellWord(args[0]))
			return nil
		}),
	}
	c.Flags().StringVar(&o.Team, "name", "", "the team's name")
	c.Flags().StringSliceVar(&o.Servers, "server", nil, "address of a server, HOST:PORT; 1, 3 or 5 of them")
	c.Flags().StringSliceVar(&o.Listen, "listen", nil, "address that a server binds, where that is another; one for each server")
	c.Flags().StringSliceVar(&o.Routes, "route", nil, "address at which servers reach each other; one for each server, port 6222 if absent")
	c.Flags().StringVar(&o.CertFile, "cert", "", "certificate of the servers; made together with an authority if absent")
	c.Flags().StringVar(&o.KeyFile, "key", "", "key of the certificate")
	c.Flags().StringVar(&o.CAFile, "ca", "", "certificate of the authority, where the members' systems do not trust it")
	return c
}

// inTeam adds the flag for the team's folder to a command.
func inTeam(c *cobra.Command, run func(dir string, args []string) error) *cobra.Command {
	var dir string
	c.Flags().StringVar(&dir, "dir", "", "the team's folder, which contexture team init made")
	c.RunE = untilClosed(func(_ *cobra.Command, args []string) error {
		if dir == "" {
			return usage("--dir: is missing: the folder that contexture team init made")
		}
		return run(dir, args)
	})
	return c
}

func newTeamAdmit(f *flags) *cobra.Command {
	var out string
	c := inTeam(&cobra.Command{
		Use:   "admit --dir DIR NAME",
		Short: "Admit somebody to a team, and write their membership",
		Long: `Admit somebody to a team and write their membership, a secret of that person, which they give to contexture team
join. It goes to standard output, or with --out into a new file that only you can read. Each machine of a person needs
a membership and a name of its own.`,
		Example: "  contexture team admit --dir ~/core --out anna.team.json Anna",
		Args:    exactlyOne,
	}, func(dir string, args []string) error {
		file, err := enrol.Admit(dir, args[0])
		if err != nil {
			return err
		}
		if out == "" {
			_, err = f.env.stdout.Write(file)
			return err
		}
		if err := writeNew(out, file); err != nil {
			return errors.Join(err, enrol.Remove(dir, args[0]))
		}
		f.env.hint("admitted %s; give them %s by a way that nobody else reads", args[0], out)
		return nil
	})
	c.Flags().StringVarP(&out, "out", "o", "", "file to write; it must not exist")
	return c
}

// writeNew writes a file that does not exist yet, readable for its owner only.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the membership: %w", err)
	}
	if _, err = file.Write(text); err != nil {
		return errors.Join(fmt.Errorf("write the membership: %w", err), file.Close(), os.Remove(path))
	}
	return file.Close()
}

func newTeamRemove(f *flags) *cobra.Command {
	return inTeam(&cobra.Command{
		Use:   "remove --dir DIR NAME",
		Short: "End the access of a member",
		Long: `End the access of a member: the servers cut their connections off within seconds. What they received stays with
them, and what they wrote stays with the team.`,
		Example: "  contexture team remove --dir ~/core Anna",
		Args:    exactlyOne,
	}, func(dir string, args []string) error {
		if err := enrol.Remove(dir, args[0]); err != nil {
			return err
		}
		f.env.hint("removed %s; servers on other machines learn it by contexture-team setup", args[0])
		return nil
	})
}

func newTeamMembers(f *flags) *cobra.Command {
	return inTeam(&cobra.Command{
		Use:     "members --dir DIR",
		Short:   "List who was admitted to a team",
		Example: "  contexture team members --dir ~/core",
		Args:    noArguments,
	}, func(dir string, _ []string) error {
		list, err := enrol.Members(dir)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, m := range list {
			state := "member since " + m.Admitted.Format(time.DateOnly)
			if !m.Removed.IsZero() {
				state = "removed on " + m.Removed.Format(time.DateOnly)
			}
			rows = append(rows, []string{oneLine(m.Name, 80), state, m.Key})
		}
		return f.env.show(f.env.table("", rows))
	})
}

// serverProgram is the program that contains the server. It is one of its own, since the server is
// five times as large as the rest of sharing.
const serverProgram = "contexture-team"

func newTeamServe(f *flags) *cobra.Command {
	var node string
	var c *cobra.Command
	c = inTeam(&cobra.Command{
		Use:     "serve --dir DIR",
		Short:   "Run a team's server, by the program " + serverProgram,
		Example: "  contexture team serve --dir ~/core",
		Args:    noArguments,
	}, func(dir string, _ []string) error {
		program, err := findServer()
		if err != nil {
			return err
		}
		return runServer(c.Context(), f.env, program, dir, node)
	})
	c.Flags().StringVar(&node, "node", "1", "which server of the team")
	return c
}

// findServer returns the program beside this one, else that in the path.
func findServer() (string, error) {
	name := serverProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(own), name); isRegular(beside) {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor in PATH; it comes in an archive of its own with each release, or by make build", serverProgram)
	}
	return path, nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// runServer runs the server until it ends, or until ctx ends, which asks it to.
func runServer(ctx context.Context, e *environment, program, dir, node string) error {
	cmd := exec.CommandContext(ctx, program, "serve", "--dir", dir, "--node", node)
	cmd.Stdout, cmd.Stderr = e.stdout, e.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &exitError{code: exit.ExitCode()}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
