package main

import (
	"github.com/spf13/cobra"
)

// report is a command that makes one request about memory, changes nothing and prints the result. R
// is the result of the request.
type report[R any] struct {
	request string // a command of the contract, such as contexture.task.list
	// args validates and returns the request's arguments; the error names a flag. nil for a request
	// without arguments.
	args func() (map[string]any, error)
	// print writes the result for a person.
	print func(*environment, *R) error
}

// command makes c print the report, and adds --json to it.
func (r report[R]) command(f *flags, c *cobra.Command) *cobra.Command {
	var asJSON bool
	c.Args = noWords
	c.RunE = func(c *cobra.Command, _ []string) error {
		args := map[string]any{}
		if r.args != nil {
			var err error
			if args, err = r.args(); err != nil {
				return err
			}
		}
		return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
			result, err := call[R](c.Context(), w.client, r.request, args)
			if err != nil {
				return stopped(err)
			}
			if asJSON {
				return printJSON(f.env.stdout, result)
			}
			return r.print(f.env, result)
		})
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of "+r.request)
	return c
}

// limited returns the args of a request of type A whose only argument is --limit.
func limited[A any](limit *int) func() (map[string]any, error) {
	return func() (map[string]any, error) {
		args := map[string]any{"limit": *limit}
		return args, check(args, new(A), map[string]string{"limit": "--limit"})
	}
}
