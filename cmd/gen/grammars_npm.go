package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// npmGrammar is a grammar whose generated parser is in an npm package. The package is fetched when
// the grammar is packed, and at no other time.
type npmGrammar struct {
	// notice has the package's version, its licence and its copyright.
	notice embedded
	// integrity is the SHA-512 of the package's archive, in base64.
	integrity string
	// folder has parser.c and scanner.c.
	folder string
	// included is a use of a macro by which the scanner includes a file, and the file; most have
	// none.
	included [2]string
	// scanner is the grammar of the package whose scanner it has; most have one of their own, or
	// none.
	scanner string
}

// npmGrammars are the grammars that are packed from npm, by the name of their C function.
var npmGrammars = map[string]npmGrammar{
	"bash": {
		notice:    embedded{"tree-sitter-bash", "0.25.1", "MIT", []string{"Copyright (c) 2017 Max Brunsfeld"}},
		integrity: "7hMytuYIMoXOq24yRulgIxthE9YmggZIOHCyPTTuJcu6EU54tYD+4G39cUb28kxC6jMf/AbPfWGLQtgPTdh3xw==", folder: "src",
	},
	"c_sharp": {
		notice:    embedded{"tree-sitter-c-sharp", "0.23.5", "MIT", []string{"Copyright (c) 2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors."}},
		integrity: "xJGOeXPMmld0nES5+080N/06yY6LQi+KWGWV4LfZaZe6srJPtUtfhIbRSN7EZN6IaauzW28v6W4QHFwmeUW6HQ==", folder: "src",
	},
	"dart": {
		notice:    embedded{"@sengac/tree-sitter-dart", "1.1.6", "MIT", []string{"Copyright (c) 2020-2023 UserNobody14 and others"}},
		integrity: "lLsF6pVmsC8+JkCnSvRzqa1jJYs+129EOn93MZCsvNnmDrZ2gcEaiqhTj69ttsjQZ2sR+LNxumdphHsw/Ln0Ew==", folder: "src",
	},
	"elixir": {
		notice:    embedded{"tree-sitter-elixir", "0.3.5", "Apache-2.0", []string{"Copyright 2021 The Elixir Team", "Generated files: Copyright (c) 2018-2021 Max Brunsfeld, under the MIT licence."}},
		integrity: "xozQMvYK0aSolcQZAx2d84Xe/YMWFuRPYFlLVxO01bM2GITh5jyiIp0TqPCQa8754UzRAI7A83hZmfiYub5TZQ==", folder: "src",
	},
	"haskell": {
		notice:    embedded{"tree-sitter-haskell", "0.23.1", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
		integrity: "qG4CYhejveu9DLMLEGBz/n9/TTeGSFLC6wniwOgG6m8/v7Dng8qR0ob0EVG7+XH+9WiOxohpGA23EhceWuxY4w==", folder: "src",
	},
	"julia": {
		notice:    embedded{"tree-sitter-julia", "0.23.1", "MIT", []string{"Copyright (c) 2018 Max Brunsfeld, GitHub"}},
		integrity: "3vShY0GIu8ajR6hXzE0pyUk6kkfg4pGx3Bfzm6lGmR9aC3fe+LgoBMlaFJ7JY+t0fNFccc77J8HVP67ukuDMxQ==", folder: "src",
	},
	"ocaml":           {notice: ocaml, integrity: ocamlSum, folder: "grammars/ocaml/src"},
	"ocaml_interface": {notice: ocaml, integrity: ocamlSum, folder: "grammars/interface/src", scanner: "ocaml"},
	"r": {
		notice:    embedded{"@eagleoutice/tree-sitter-r", "1.1.2", "MIT", []string{"Copyright (c) 2024 tree-sitter-r authors"}},
		integrity: "HR0RyoI5uxcfsdZvTMqSM8GJyGo6DQTkfdgqygQ6N+D0KQObRH4RxYgBZ6ePsGq/36RBAqv8y0NeQvAFL2N4dQ==", folder: "src",
	},
	"ruby": {
		notice:    embedded{"tree-sitter-ruby", "0.23.1", "MIT", []string{"Copyright (c) 2016 Rob Rix"}},
		integrity: "d9/RXgWjR6HanN7wTYhS5bpBQLz1VkH048Vm3CodPGyJVnamXMGb8oEhDypVCBq4QnHui9sTXuJBBP3WtCw5RA==", folder: "src",
	},
	"rust": {
		notice:    embedded{"tree-sitter-rust", "0.24.0", "MIT", []string{"Copyright (c) 2017 Maxim Sokolov"}},
		integrity: "NWemUDf629Tfc90Y0Z55zuwPCAHkLxWnMf2RznYu4iBkkrQl2o/CHGB7Cr52TyN5F1DAx8FmUnDtCy9iUkXZEQ==", folder: "src",
	},
	"scala": {
		notice:    embedded{"tree-sitter-scala", "0.24.0", "MIT", []string{"Copyright (c) 2018 Max Brunsfeld and GitHub"}},
		integrity: "vkMuAUrBZ1zZz2XcGDQk18Kz73JkpgaeXzbNVobPke0G35sd9jH32aUxG6OLRKM7et0TbsfqkWf4DeJoGk4K1g==", folder: "src",
	},
	"sql": {
		notice:    embedded{"@derekstride/tree-sitter-sql", "0.3.11", "MIT", []string{"Copyright (c) 2021 Derek Stride"}},
		integrity: "YRtTXVWK4n7/3BUGchhGcW/IF1u2ldR2fd0t3Uw7ymbGXcRfiG3v1T6N43jQKXz2LwN+Nx+Ab96T0HtusBVH9g==", folder: "src",
	},
	"tsx":        {notice: typeScript, integrity: typeScriptSum, folder: "tsx/src", scanner: "typescript"},
	"typescript": {notice: typeScript, integrity: typeScriptSum, folder: "typescript/src"},
	"yaml": {
		notice:    embedded{"@tree-sitter-grammars/tree-sitter-yaml", "0.7.1", "MIT", []string{"Copyright (c) 2024 tree-sitter-grammars contributors", "Copyright (c) 2019-2021 Ika"}},
		integrity: "AynBwkIoQCTgjDR33bDUp9Mqq+YTco0is3n5hRApMqG9of/6A4eQsfC1/uSEeHSUyMQSYawcAWamsexnVpIP4Q==", folder: "src",
		included: [2]string{"_file(YAML_SCHEMA)", `"schema.core.c"`},
	},
	"zig": {
		notice:    embedded{"@tree-sitter-grammars/tree-sitter-zig", "1.1.2", "MIT", []string{"Copyright (c) 2024 Amaan Qureshi <amaanq12@gmail.com>"}},
		integrity: "J0L31HZ2isy3F5zb2g5QWQOv2r/pbruQNL9ADhuQv2pn5BQOzxt80WcEJaYXBeuJ8GHxVT42slpCna8k1c8LOw==", folder: "src",
	},
}

const ocamlSum = "H0RAeCepIyXyTPCQra6yMd7Bn5ZBYkIaddzdLNwVZpM9mCe2e8av+3O6Ojl7Z8YHrV/kYsfHvI2y+Hh7qzcYQQ=="

// ocaml is the package of two grammars.
var ocaml = embedded{"tree-sitter-ocaml", "0.24.2", "MIT", []string{"Copyright (c) 2020 Max Brunsfeld and Pieter Goetschalckx"}}

const typeScriptSum = "e04JUUKxTT53/x3Uq1zIL45DoYKVfHH4CZqwgZhPg5qYROl5nQjV+85ruFzFGZxu+QeFVbRTPDRnqL9UbU4VeA=="

// typeScript is the package of two grammars.
var typeScript = embedded{"tree-sitter-typescript", "0.23.2", "MIT", []string{"Copyright (c) 2017 Max Brunsfeld"}}

// origin names the package as the first lines of the packed files do.
func (g npmGrammar) origin() string { return "npm's " + g.notice.name + " " + g.notice.version }

// npmGrammar fetches a package and packs its grammar.
func (p *packer) npmGrammar(g npmGrammar, name string) error {
	root, err := os.MkdirTemp(p.work, "npm")
	if err != nil {
		return err
	}
	if err := fetchPackage(g, root); err != nil {
		return err
	}
	dir := filepath.Join(root, filepath.FromSlash(g.folder))
	file := filepath.Join(dir, "parser.c")
	parser, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if parser, err = downgraded(parser); err != nil {
		return err
	}
	if err := os.WriteFile(file, parser, 0o644); err != nil {
		return err
	}
	if g.included[0] != "" {
		file := filepath.Join(dir, "scanner.c")
		scanner, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		scanner = bytes.ReplaceAll(scanner, []byte("#include "+g.included[0]), []byte("#include "+g.included[1]))
		if err := os.WriteFile(file, scanner, 0o644); err != nil {
			return err
		}
	}
	if g.scanner != "" {
		if err := os.Remove(filepath.Join(dir, "scanner.c")); err != nil {
			return err
		}
	}
	// The tables are laid out as the module's runtime reads them.
	header, err := os.ReadFile(p.headerFile(parserHeader))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "tree_sitter", "parser.h"), header, 0o644); err != nil {
		return err
	}
	q := *p
	q.origin = g.origin()
	return q.grammar(dir, g.folder, name)
}

// fetchPackage unpacks the archive of a grammar's package into dir, after comparing its sum.
func fetchPackage(g npmGrammar, dir string) error {
	fetch := exec.Command("npm", "pack", "--silent", "--pack-destination", dir, g.notice.name+"@"+g.notice.version)
	text, err := fetch.Output()
	if err != nil {
		return fmt.Errorf("fetch %s: %w", g.notice.name, err)
	}
	archive, err := os.ReadFile(filepath.Join(dir, filepath.Base(strings.TrimSpace(string(text)))))
	if err != nil {
		return err
	}
	sum := sha512.Sum512(archive)
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != g.integrity {
		return fmt.Errorf("the archive of %s has the sum %s, want %s", g.notice.name, got, g.integrity)
	}
	return unpackSources(bytes.NewReader(archive), dir)
}

// unpackSources writes the C sources of an npm archive below dir, without the folder that the
// archive puts them into.
func unpackSources(archive io.Reader, dir string) error {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, inside := strings.Cut(path.Clean(h.Name), "/")
		if h.Typeflag != tar.TypeReg || !inside || !filepath.IsLocal(h.Name) || path.Ext(name) != ".c" && path.Ext(name) != ".h" {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
}

// newer matches what a parser of version 15 of the format has more than one of version 14: names
// and tables that describe the grammar and that no parse reads.
var newer = regexp.MustCompile(`(?m)^static const \w+ ts_supertype_\w+\[[^=]*= \{\n(?:  .*\n)*\};\n\n?` +
	`|^    \.(?:supertype_\w+|name|max_reserved_word_set_size) = .*\n` +
	`|^    \.metadata = \{\n(?:      .*\n)*    \},\n`)

// downgraded returns a parser in version 14 of the format, which is the newest that the module's
// runtime reads. One that uses what only version 15 can express, reserved words, is an error.
func downgraded(parser []byte) ([]byte, error) {
	const version = "#define LANGUAGE_VERSION "
	switch {
	case bytes.Contains(parser, []byte(version+"14\n")): // a newer generator may have written it
	case !bytes.Contains(parser, []byte(version+"15\n")):
		return nil, errors.New("the parser's format is neither 14 nor 15")
	case !bytes.Contains(parser, []byte(".max_reserved_word_set_size = 0,\n")):
		return nil, errors.New("the parser has reserved words, which version 14 of the format has not")
	}
	text := newer.ReplaceAllString(string(parser), "")
	return []byte(strings.NewReplacer(
		version+"15\n", version+"14\n",
		".abi_version = ", ".version = ",
		"static const TSLexerMode ", "static const TSLexMode ",
		"static const TSMapSlice ", "static const TSFieldMapSlice ",
		"static const TSCharacterRange ", "static TSCharacterRange ",
		"(const void*)ts_lex_modes", "ts_lex_modes",
	).Replace(text)), nil
}
