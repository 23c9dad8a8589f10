package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// place is the workspace that the doctor examines.
type place struct {
	root     string
	tree     *source.Tree // nil when the root cannot be opened
	settings settings.Settings
}

func (p *patient) checkProgram() {
	v := readVersion()
	p.add("program", fine, fmt.Sprintf("%s on %s/%s, with tree-sitter (cgo)", v, runtime.GOOS, runtime.GOARCH), "")
}

// littleSpace is the free space, in bytes, below which the doctor warns: an index is about as large
// as its source.
const littleSpace = 500 << 20

func (p *patient) checkState() {
	const check = "state"
	dir, err := p.f.state()
	if err != nil {
		p.add(check, fault, err.Error(), "")
		return
	}
	where := p.f.env.tilde(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.add(check, fault, fmt.Sprintf("%s cannot be created: %v", where, err), "choose a folder with --state-dir DIR or CONTEXTURE_STATE_DIR")
		return
	}
	if err := daemon.OwnState(dir); err != nil {
		p.add(check, fault, err.Error(), "")
		return
	}
	probe, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		p.add(check, fault, fmt.Sprintf("%s cannot be written: %v", where, err), "choose a folder with --state-dir DIR or CONTEXTURE_STATE_DIR")
		return
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		p.add(check, warning, fmt.Sprintf("%s: %v", where, err), "")
	}
	p.state = dir
	detail := where + " is writable"
	if free, ok := freeSpace(dir); ok {
		detail += ", " + bytesText(free) + " free"
		if free < littleSpace {
			p.add(check, warning, detail, "free some space: an index is about as large as its source")
			return
		}
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		p.add(check, warning, fmt.Sprintf("%s, but open to others (mode %04o)", detail, info.Mode().Perm()), "chmod 700 "+where)
		return
	}
	p.add(check, fine, detail, "")
}

func (p *patient) checkWorkspace(ctx context.Context) {
	v, root, set, problems, err := p.f.bare()
	if err != nil {
		p.add("workspace", fault, err.Error(), "name a folder with --root DIR")
		return
	}
	p.place = place{root: root, settings: set}
	tree, err := v.Tree(root, set)
	if err != nil {
		p.add("workspace", fault, explain(err).Error(), "")
		return
	}
	p.place.tree = tree
	p.checkSettings(problems)
	p.add("workspace", fine, p.f.env.tilde(root)+" ("+p.rootReason(root)+")", "")
	p.checkGit(ctx)
}

// rootReason returns why this folder is the root.
func (p *patient) rootReason(root string) string {
	if p.f.root != "" {
		return "named by --root"
	}
	for _, marker := range []string{".git", settings.WorkspaceFile} {
		if _, err := os.Lstat(filepath.Join(root, marker)); err == nil {
			return "the nearest folder with " + marker
		}
	}
	return "the working directory; no parent has .git or " + settings.WorkspaceFile
}

func (p *patient) checkSettings(problems []string) {
	const check = "settings"
	files := []string{settings.UserFile(p.f.env.getenv), filepath.Join(p.place.root, settings.WorkspaceFile)}
	if opts, err := p.f.options(); err == nil && opts.ConfigFile != "" {
		files[0] = opts.ConfigFile
	}
	var read []string
	for _, file := range files {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err == nil {
			read = append(read, p.f.env.tilde(file))
		}
	}
	for _, problem := range problems {
		p.add(check, warning, problem, "fix the setting; the other settings apply")
	}
	switch {
	case len(problems) > 0:
	case len(read) == 0:
		p.add(check, fine, "no settings file: the defaults apply", "")
	default:
		p.add(check, fine, strings.Join(read, ", "), "")
	}
	if !p.place.settings.Enabled {
		p.add(check, fault, "enabled is false in "+p.place.settings.Source("enabled"), "set it to true to use the program here")
	}
	if p.place.settings.Index.Paused {
		p.add(check, warning, "index.paused is true in "+p.place.settings.Source("index.paused"), "the index is not brought up to date until it is false")
	}
}

func (p *patient) checkGit(ctx context.Context) {
	const check = "git"
	if _, _, ok := history.GitDirs(p.place.root); !ok {
		p.add(check, fine, "the workspace is not a Git repository; its history is not used", "")
		return
	}
	if _, err := exec.LookPath("git"); err != nil {
		p.add(check, warning, "the git command was not found, so the history is not used", "install git to rank by the history")
		return
	}
	head, err := history.Head(ctx, p.place.root)
	switch {
	case err != nil:
		p.add(check, warning, fmt.Sprintf("HEAD cannot be read: %v", err), "inspect it with: git -C "+p.f.env.tilde(p.place.root)+" status")
	case head == "":
		p.add(check, fine, "the repository has no commit yet", "")
	default:
		p.add(check, fine, "HEAD is "+head[:min(len(head), 12)], "")
	}
}

// checkWatches compares the number of folders in the workspace with the system's limit on watches.
func (p *patient) checkWatches(ctx context.Context) {
	const check, limitFile = "watches", "/proc/sys/fs/inotify/max_user_watches"
	if p.place.tree == nil {
		return
	}
	folders := 0
	if err := p.place.tree.Folders(ctx, func(string) error { folders++; return nil }); err != nil {
		p.add(check, warning, fmt.Sprintf("the folders cannot be listed: %v", err), "")
		return
	}
	text, err := os.ReadFile(limitFile)
	if errors.Is(err, fs.ErrNotExist) {
		p.add(check, fine, counted(folders, "folder")+"; changes come from the system or by polling", "")
		return
	}
	limit, notNumber := strconv.Atoi(strings.TrimSpace(string(text)))
	switch {
	case err != nil:
		p.add(check, warning, "the limit cannot be read: "+err.Error(), "")
	case notNumber != nil:
		p.add(check, warning, fmt.Sprintf("the limit cannot be read: %s holds %q", limitFile, oneLine(string(text), 40)), "")
	case folders > limit/2: // half is left to the editor, see indexer/watch
		p.add(check, warning, fmt.Sprintf("%s, but only %s of the %s watches of this user may be used: the rest is polled", counted(folders, "folder"), count(limit/2), count(limit)),
			fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d", max(524288, 4*folders)))
	default:
		p.add(check, fine, fmt.Sprintf("%s of %s that may be watched", counted(folders, "folder"), count(limit/2)), "")
	}
}
