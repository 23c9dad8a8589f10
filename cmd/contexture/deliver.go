package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// delivery lists where a result goes besides standard output.
type delivery struct {
	env  *environment
	file string
	copy bool
}

func (d *delivery) flags(o *pflag.FlagSet) {
	o.StringVarP(&d.file, "output", "o", "", "write the result to `FILE`, which is replaced once the result is complete")
	o.BoolVar(&d.copy, "copy", false, "put the result into the clipboard")
}

// delivered returns run with its result sent where d directs. Nothing is written if the command
// fails.
func (d *delivery) delivered(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		switch {
		case c.Flags().Changed("output") && d.file == "":
			return usage("--output: is empty")
		case d.file == "" && !d.copy:
			return run(c, args)
		}
		put := func([]byte) error { return nil }
		if d.copy {
			var err error
			if put, err = d.env.clipboard(); err != nil {
				return err
			}
		}
		var result bytes.Buffer
		out, is := d.env.stdout, d.env.out
		d.env.stdout, d.env.out = &noted{WriteCloser: gathered{&result}}, terminal{}
		err := run(c, args)
		d.env.stdout, d.env.out = out, is
		if err != nil {
			return err
		}
		if d.file != "" {
			if err := d.env.write(d.file, result.Bytes()); err != nil {
				return err
			}
		}
		return put(result.Bytes())
	}
}

// gathered buffers what is written.
type gathered struct{ io.Writer }

func (gathered) Close() error { return nil }

// write replaces a file atomically; "-" is standard output. A file that is not regular, such as a
// pipe, is written to directly.
func (e *environment) write(name string, data []byte) (err error) {
	if name == "-" {
		_, err := e.stdout.Write(data)
		return err
	}
	path, err := e.abs(name)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o666) // before the umask
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("write %s: it is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, data, mode)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		return replace(path, data, info.Mode().Perm())
	}
	return os.WriteFile(path, data, mode)
}

// replace replaces a file with a new one by renaming.
func replace(path string, data []byte, mode os.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".contexture-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// tool is a program that copies its standard input to the clipboard.
type tool struct {
	name string
	args []string
	// needs is the environment variable which shows that the tool has a display; "" if it needs
	// none.
	needs string
}

// tools are the clipboard tools, in the order in which they are tried.
var tools = []tool{
	{"pbcopy", nil, ""}, {"wl-copy", nil, "WAYLAND_DISPLAY"}, {"xclip", []string{"-selection", "clipboard"}, "DISPLAY"},
	{"xsel", []string{"--clipboard", "--input"}, "DISPLAY"}, {"clip.exe", nil, ""},
}

// terminalClip is how many bytes terminals accept by OSC 52 (xterm's control sequences); longer
// texts are truncated or ignored.
const terminalClip = 74_994

// clipboard returns the function that copies a text to the person's clipboard, by a tool of the
// system or by the terminal.
func (e *environment) clipboard() (put func([]byte) error, err error) {
	var missing []string
	for _, t := range tools {
		if t.name == "pbcopy" && runtime.GOOS != "darwin" {
			continue
		}
		if t.needs != "" && e.getenv(t.needs) == "" {
			missing = append(missing, t.name+" (needs "+t.needs+")")
			continue
		}
		path, err := exec.LookPath(t.name)
		if err != nil {
			missing = append(missing, t.name)
			continue
		}
		return func(text []byte) error { return t.copy(e, path, text) }, nil
	}
	if e.err.On {
		return e.terminalCopy, nil
	}
	return nil, fmt.Errorf("--copy: no clipboard is available here: install one of %s, or write to a file with -o FILE", strings.Join(missing, ", "))
}

// copy copies a text to the clipboard with the tool at path.
func (t tool) copy(e *environment, path string, text []byte) error {
	said, err := os.CreateTemp("", "contexture-*") // a tool that stays in the background would keep a pipe open
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(said.Name()) }() // if this fails, the file stays in the folder for temporary files
	defer said.Close()
	size := len(text)
	if t.name == "clip.exe" {
		text = utf16Text(text)
	}
	c := exec.Command(path, t.args...)
	c.Stdin, c.Stderr = bytes.NewReader(text), said
	if err := c.Run(); err != nil {
		why, _ := os.ReadFile(said.Name()) // without it, the error is clear enough
		return fmt.Errorf("--copy: %s: %w: %s", t.name, err, oneLine(strings.TrimSpace(string(why)), 200))
	}
	e.hint("copied %s to the clipboard with %s", bytesText(int64(size)), t.name)
	return nil
}

// utf16Text encodes a text as Windows' clip expects it.
func utf16Text(text []byte) []byte {
	out := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// terminalCopy has the terminal fill the clipboard, which also works over a remote connection.
func (e *environment) terminalCopy(text []byte) error {
	if len(text) > terminalClip {
		return fmt.Errorf("--copy: %s are too many for the terminal's clipboard, which takes %s; write to a file with -o FILE",
			bytesText(int64(len(text))), bytesText(terminalClip))
	}
	if _, err := io.WriteString(e.stderr, "\x1b]52;c;"+base64.StdEncoding.EncodeToString(text)+"\a"); err != nil {
		return err
	}
	e.hint("sent %s to the terminal's clipboard", bytesText(int64(len(text))))
	return nil
}
