package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// lspVersion is the supported version of the Language Server Protocol.
const lspVersion = "3.18"

// versionInfo is what `contexture version --json` prints.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // built from a work tree with changes
	Go       string `json:"go"`
	LSP      string `json:"lsp"`
	Contract int    `json:"contract"`
}

// readVersion returns what the build has recorded in the program.
func readVersion() versionInfo {
	v := versionInfo{Version: version, Commit: "unknown", Go: runtime.Version(), LSP: lspVersion, Contract: command.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; version == "dev" && m != "" && m != "(devel)" {
		v.Version = m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v versionInfo) String() string {
	commit := v.Commit
	if v.Modified {
		commit += " with changes"
	}
	return fmt.Sprintf("contexture %s (commit %s, %s, LSP %s, contract %d)", v.Version, commit, v.Go, v.LSP, v.Contract)
}

func newVersion(f *flags) *cobra.Command {
	var asJSON, check bool
	address := releases
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and those of Go, LSP and the contract",
		Long: `Print the version, and those of Go, LSP and the contract.

With --check it also prints which build the shared process is, and whether a newer release exists. For that it reads the
list of checksums of the newest release. Only this flag makes it do so: nothing looks for updates by itself.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if check {
				v, err := checkVersion(c.Context(), f, address)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(f.env.stdout, v)
				}
				return printCheck(f, v)
			}
			if c.Flags().Changed("releases") {
				return usage("--releases needs --check")
			}
			v := readVersion()
			if asJSON {
				return printJSON(f.env.stdout, v)
			}
			return f.env.show(v.String() + "\n")
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&check, "check", false, "compare with the shared process and with the newest release")
	c.Flags().StringVar(&address, "releases", releases, "the `ADDRESS` or file of the newest release's list of checksums")
	return c
}
