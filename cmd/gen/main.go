// Command gen writes what follows from the contract's Go types: the dispatcher, the JSON Schema and the reference
// page. It reads the sources of server/command and server/settings and nothing else, runs no other program, and
// writes the same bytes for the same sources.
//
//	go run ./cmd/gen
//
// To add an output, write one file with a function from the [Model] to bytes and list it in outputs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// output is one generated file.
type output struct {
	path   string // relative to the module's root, with slashes
	render func(*Model) ([]byte, error)
}

var outputs = []output{
	{"server/command/dispatch_gen.go", renderDispatch},
	{"server/command/schema.json", renderSchema},
	{"server/command/REFERENCE.md", renderReference},
}

func main() {
	root := flag.String("root", ".", "the module's root folder")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	model, err := load(root)
	if err != nil {
		return err
	}
	for _, out := range outputs {
		data, err := out.render(model)
		if err != nil {
			return fmt.Errorf("render %s: %w", out.path, err)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(out.path)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
