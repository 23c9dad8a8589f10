package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// severity is how bad a finding is.
type severity string

const (
	fine    severity = "ok"
	warning severity = "warning" // works, but not as well as it could
	fault   severity = "error"   // prevents work
)

// finding is the result of one check of the doctor.
type finding struct {
	Check  string   `json:"check"`
	Status severity `json:"status"`
	Detail string   `json:"detail"`
	// Action is what to do; empty if nothing needs to be done.
	Action string `json:"action,omitempty"`
}

// endpoint is an address to which the program may connect.
type endpoint struct {
	URL string `json:"url"`
	// Use is the purpose of the connection.
	Use string `json:"use"`
	// State is "reachable", "unreachable" or "not asked"; for the program's own address, "listens"
	// or "does not listen".
	State string `json:"state"`
}

// diagnosis is what `contexture doctor --json` prints.
type diagnosis struct {
	OK        bool       `json:"ok"`
	Findings  []finding  `json:"findings"`
	Endpoints []endpoint `json:"endpoints"`
	// Model is absent if no model server was queried.
	Model *modelReport `json:"model,omitempty"`
}

func newDoctor(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and the workspace, and say what to do about each problem",
		Long: `Check the program, its state directory, the daemon, the settings, the workspace, the grammars, the watch limits, the
index, the memory, the token counters, the model server and the models that are used, the teams, and whether the
assistants that were set up run hooks; list every address that may be talked to. Exits with 1 if something prevents work.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := examine(c.Context(), f)
			if err := c.Context().Err(); err != nil {
				return explain(err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(f.env.stdout, d)
			} else {
				err = f.env.page(d.text(f.env.outPalette(), f.env.widthOf(f.env.out)))
			}
			if err == nil && !d.OK {
				return &exitError{code: exitFailed} // the findings have been printed
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// patient is the state that the checks share: later checks use the results of earlier ones.
type patient struct {
	f *flags
	diagnosis
	state string // the state directory; "" when there is none
	place place  // root and settings
	lost  error  // why the daemon was lost during the checks; else nil
}

// notes reports whether err means that the daemon was lost, and keeps it: the checks then run
// again.
func (p *patient) notes(err error) bool {
	_, isLost := errors.AsType[*lostError](err)
	if isLost {
		p.lost = err
	}
	return isLost
}

func (p *patient) add(check string, s severity, detail, action string) {
	p.Findings = append(p.Findings, finding{check, s, detail, action})
}

// examine makes all checks independently: a failed check does not prevent the others, except those
// that need its result. The error is that of a daemon that was lost.
func examine(ctx context.Context, f *flags) (diagnosis, error) {
	p := &patient{f: f, diagnosis: diagnosis{Endpoints: []endpoint{}}}
	p.checkProgram()
	p.checkState()
	p.checkDaemon(ctx)
	p.checkWorkspace(ctx)
	p.checkGrammars()
	p.checkWatches(ctx)
	p.checkIndex(ctx)
	p.checkMemory(ctx)
	p.checkTokens()
	p.checkModel(ctx)
	p.checkTeams(ctx)
	p.checkHooks()
	if releases != "" && !f.offline {
		p.endpoint(releases, "the newest release, for contexture version --check alone", "not asked")
	}
	p.OK = true
	for _, x := range p.Findings {
		p.OK = p.OK && x.Status != fault
	}
	return p.diagnosis, p.lost
}

// text lists the findings and the addresses, in most columns at most.
func (d diagnosis) text(p palette, most int) string {
	mark := map[severity]string{fine: p.green("✓"), warning: p.yellow("!"), fault: p.red("✗")}
	width := 0
	for _, x := range d.Findings {
		width = max(width, len(x.Check))
	}
	var b strings.Builder
	for _, x := range d.Findings {
		b.WriteString(fold(fmt.Sprintf("%s %-*s  %s", mark[x.Status], width, x.Check, oneLine(x.Detail, 0)), width+4, most) + "\n")
		if x.Action != "" {
			b.WriteString(fold(fmt.Sprintf("  %*s  → %s", width, "", oneLine(x.Action, 0)), width+6, most) + "\n")
		}
	}
	b.WriteString("\nMay talk to:\n")
	if len(d.Endpoints) == 0 {
		b.WriteString("  nothing\n")
	}
	var rows [][]string
	for _, e := range d.Endpoints {
		rows = append(rows, []string{oneLine(e.URL, 0), e.State, e.Use})
	}
	b.WriteString(grid{most: most, indent: "  ", rows: rows}.String())
	return b.String()
}
