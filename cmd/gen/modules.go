package main

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// platforms are the supported platforms: the notices list each module that is linked on one of
// them.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// linker finds the modules that a program links, from the import declarations in the sources of the
// module cache. It runs no other program and never downloads.
type linker struct {
	root    string // the main module's folder
	path    string // and its path
	release string // of Go, such as 1.26.0
	cache   string // the module cache's folder
	modules map[string]module.Version

	packages map[string]map[string]bool // by module path: the folders of linked packages
	missing  map[string]bool            // modules that are linked and not in the cache
}

// newLinker reads the main module's go.mod, which since Go 1.17 lists every module that a build
// needs.
func newLinker(root string) (*linker, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	l := &linker{
		root: root, path: mod.Module.Mod.Path, release: mod.Go.Version, cache: moduleCache(), modules: map[string]module.Version{},
		packages: map[string]map[string]bool{}, missing: map[string]bool{},
	}
	for _, r := range mod.Require {
		l.modules[r.Mod.Path] = r.Mod
	}
	return l, nil
}

// moduleCache returns the folder in which the go command keeps modules.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	first, _, _ := strings.Cut(build.Default.GOPATH, string(filepath.ListSeparator))
	return filepath.Join(first, "pkg", "mod")
}

// link follows the imports of a package of the main module on all platforms.
func (l *linker) link(pkg string) error {
	for _, p := range platforms {
		ctx := build.Default
		ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = p[0], p[1], true
		seen := map[string]bool{}
		if err := l.follow(&ctx, l.path+"/"+pkg, seen); err != nil {
			return err
		}
	}
	return nil
}

func (l *linker) follow(ctx *build.Context, pkg string, seen map[string]bool) error {
	host, _, _ := strings.Cut(pkg, "/")
	if seen[pkg] || !strings.Contains(host, ".") { // the standard library's paths begin without a dot
		return nil
	}
	seen[pkg] = true
	dir, err := l.folder(pkg)
	if err != nil || dir == "" {
		return err
	}
	found, err := ctx.ImportDir(dir, 0)
	var none *build.NoGoError
	switch {
	case errors.As(err, &none):
		return nil // excluded on this platform
	case err != nil:
		return fmt.Errorf("read the imports of %s: %w", pkg, err)
	}
	for _, next := range found.Imports {
		if err := l.follow(ctx, next, seen); err != nil {
			return err
		}
	}
	return nil
}

// folder returns the folder of a package's sources, "" if its module is not in the cache, and
// records what is linked.
func (l *linker) folder(pkg string) (string, error) {
	if rest, ok := strings.CutPrefix(pkg, l.path); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(l.root, filepath.FromSlash(rest)), nil
	}
	name := pkg
	for l.modules[name].Path == "" {
		at := strings.LastIndexByte(name, '/')
		if at < 0 {
			return "", fmt.Errorf("go.mod requires no module with the package %s: run go mod tidy", pkg)
		}
		name = name[:at]
	}
	dir, err := l.moduleFolder(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err != nil {
		l.missing[name] = true
		return "", nil
	}
	dir = filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(pkg, name)))
	if l.packages[name] == nil {
		l.packages[name] = map[string]bool{}
	}
	l.packages[name][dir] = true
	return dir, nil
}

func (l *linker) moduleFolder(name string) (string, error) {
	escaped, err := module.EscapePath(name)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(l.modules[name].Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(l.cache, filepath.FromSlash(escaped)+"@"+version), nil
}

// foldersOf returns the folders directly below a module's root that contain linked packages.
func (l *linker) foldersOf(name string) map[string]bool {
	out := map[string]bool{}
	for dir := range l.packages[name] {
		_, below, _ := strings.Cut(filepath.ToSlash(dir), "@"+l.modules[name].Version+"/")
		if folder, _, _ := strings.Cut(below, "/"); folder != "" {
			out[folder] = true
		}
	}
	return out
}

// licences returns the texts of the licence files of a module's linked packages: those in the
// packages' folders and in all folders above them up to the module's root.
func (l *linker) licences(name string) ([]string, error) {
	top, err := l.moduleFolder(name)
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for dir := range l.packages[name] {
		for ; strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		texts, err := licencesIn(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, texts...)
	}
	return out, nil
}

// licencesIn returns the texts of the licence files of one folder, in the order of their names.
func licencesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !isLicenceFile(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, string(text))
	}
	return out, nil
}

func isLicenceFile(name string) bool {
	stem, ext, _ := strings.Cut(strings.ToLower(name), ".")
	stem, of, _ := strings.Cut(stem, "-")
	return ext != "go" && of != "logo" && slices.Contains([]string{"license", "licence", "copying", "notice", "patents", "unlicense"}, stem)
}
