// Command gen generates the files that derive from the contract's Go types: the dispatcher, the
// JSON Schema, the reference page, the editors' clients, their settings and their help. It reads
// the sources of server/command and server/settings; for the third-party notices it also reads
// go.mod and the module cache. It also packs the vocabularies of context/tokens. It runs no other
// program and writes the same bytes for the same sources.
//
//	go run ./cmd/gen
//	go run ./cmd/gen grammars [NAME ...]
//	go run ./cmd/gen sbom PROGRAM FILE VERSION
//	go run ./cmd/gen rpm PACKAGE PAYLOAD FILE
//
// The second form writes indexer/chunk/packed, all of it or the grammars named, from the module of
// the grammars and from npm's packages. It is needed when one of their versions changes, and runs a
// C compiler and npm. The third form writes the bill of materials of a built program, the fourth a
// package with a payload that was packed anew.
//
// To add an output, write one file with a function from the [Model] to bytes and list it in
// outputs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// output is one generated file.
type output struct {
	path string // relative to the module's root, with slashes
	// render returns the file's bytes. present is the current content, for outputs that replace a
	// part of it.
	render func(m *Model, present []byte) ([]byte, error)
}

var outputs = []output{
	{"server/command/dispatch_gen.go", whole(renderDispatch)},
	{"server/command/unimplemented_gen_test.go", whole(renderUnimplemented)},
	{"server/command/schema.json", whole(renderSchema)},
	{"server/command/REFERENCE.md", whole(renderReference)},
	{"editors/vscode/src/contract.gen.ts", whole(renderTypeScript)},
	{"editors/vscode/package.json", fillManifest},
	{"editors/vscode/package.nls.json", fillTexts},
	{"editors/nvim/lua/contexture/contract.lua", whole(renderLua)},
	{"editors/nvim/doc/contexture-reference.txt", whole(renderVimdoc)},
	{"context/tokens/cl100k_base.ranks", whole(func(*Model) ([]byte, error) { return renderRanks("cl100k_base") })},
	{"context/tokens/o200k_base.ranks", whole(func(*Model) ([]byte, error) { return renderRanks("o200k_base") })},
	{"cmd/contexture/NOTICES.md", func(m *Model, present []byte) ([]byte, error) { return renderNotices(m.Root, present) }},
	{"cmd/contexture-team/NOTICES.md", func(m *Model, present []byte) ([]byte, error) { return renderTeamNotices(m.Root, present) }},
}

func whole(render func(*Model) ([]byte, error)) func(*Model, []byte) ([]byte, error) {
	return func(m *Model, _ []byte) ([]byte, error) { return render(m) }
}

// make returns the output's bytes for the file below root, which may not exist yet.
func (o output) make(m *Model, root string) ([]byte, error) {
	present, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(o.path)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return o.render(m, present)
}

func main() {
	root := flag.String("root", ".", "the module's root folder")
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "":
		err = run(*root)
	case "grammars":
		err = packGrammars(*root, flag.Args()[1:])
	case "sbom":
		err = bomArguments(flag.Args()[1:])
	case "rpm":
		err = rpmArguments(flag.Args()[1:])
	default:
		err = fmt.Errorf("unknown command %q", flag.Arg(0))
	}
	if err != nil {
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
		data, err := out.make(model, root)
		if err != nil {
			return fmt.Errorf("render %s: %w", out.path, err)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(out.path)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
