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

func newLicenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of the components that the program contains",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), notices)
			return err
		},
	}
}
