package hosts

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// codeExtensionID begins the name of the folder of this program's extension in VS Code, before its
// version.
const codeExtensionID = programName + "." + programName + "-"

// codeExtension reports whether this program's extension is installed in VS Code.
func codeExtension(env Environment) bool {
	folder := env.home(".vscode", "extensions")
	if dir, ok := env.named("VSCODE_EXTENSIONS"); ok {
		folder = dir
	}
	return slices.ContainsFunc(env.List(folder), func(name string) bool { return strings.HasPrefix(name, codeExtensionID) })
}

// neovimPlugin reports whether this program's plugin is installed in Neovim: as a package, or by
// the person's configuration, which then names it.
func neovimPlugin(env Environment) bool {
	for _, folder := range []string{neovimFolder(env), filepath.Join(neovimData(env), "site")} {
		if env.hasPackage(filepath.Join(folder, "pack")) {
			return true
		}
	}
	return env.mentions(neovimFolder(env), neovimDepth)
}

// neovimData returns the folder in which Neovim and its plugin managers keep what they download.
func neovimData(env Environment) string {
	app := env.neovimName()
	if dir, ok := env.named("XDG_DATA_HOME"); ok {
		return filepath.Join(dir, app)
	}
	if env.OS == "windows" {
		if dir, ok := env.named("LocalAppData"); ok {
			return filepath.Join(dir, app+"-data")
		}
		return env.home("AppData", "Local", app+"-data")
	}
	return env.home(".local", "share", app)
}

// hasPackage reports whether a folder of Neovim's packages holds this program's plugin.
func (e Environment) hasPackage(pack string) bool {
	for _, group := range e.List(pack) {
		for _, start := range []string{"start", "opt"} {
			for _, name := range e.List(filepath.Join(pack, group, start)) {
				if e.Exists(filepath.Join(pack, group, start, name, "lua", programName)) {
					return true
				}
			}
		}
	}
	return false
}

// neovimDepth is how many folders deep a configuration of Neovim is read.
const neovimDepth = 4

// mentions reports whether a file of a Neovim configuration names this program. The file that an
// installation writes does not count.
func (e Environment) mentions(folder string, depth int) bool {
	if depth == 0 {
		return false
	}
	return slices.ContainsFunc(e.List(folder), func(name string) bool {
		path := filepath.Join(folder, name)
		switch filepath.Ext(name) {
		case ".lua", ".vim":
			return name != neovimFile && bytes.Contains(e.Read(path), []byte(programName))
		case "":
			return name != "pack" && e.mentions(path, depth-1)
		}
		return false
	})
}
