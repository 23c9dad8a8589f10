package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// notices are the third-party notices, which cmd/gen writes.
//
//go:embed NOTICES.md
var notices string

func newLicenses(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of the components that the program contains",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(f.env.stdout, notices)
			return err
		},
	}
}
