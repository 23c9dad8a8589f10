//go:build unix

package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

const fullEnv = "CONTEXTURE_TEST_FULL_DISK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fullEnv); dir != "" {
		onFullDisk(dir)
		return
	}
	os.Exit(m.Run())
}

// TestFullDisk runs a process that cannot grow files above a limit, which for a store equals a full
// disk. It must keep running, reject writes, read its data, and exit in time; everything flushed
// before is there afterwards.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fullEnv+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		<-done
		t.Fatalf("did not end\n%s", out.String())
	}
	said := map[string]bool{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		said[lines.Text()] = true
	}
	for _, want := range []string{"flush: full", "commit: full", "read: true", "scan: 2", "close: full", "again: true"} {
		if !said[want] {
			t.Errorf("the process did not say %q; it said %v", want, said)
		}
	}
	s := open(t, dir)
	defer closeStore(t, s)
	if v, ok, err := s.Get([]byte("early")); string(v) != "flushed" || !ok || err != nil {
		t.Errorf("what was flushed before: %q, %v, %v", v, ok, err)
	}
}

func onFullDisk(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	b := s.NewBatch()
	if err := errors.Join(b.Set([]byte("early"), []byte("flushed")), b.Commit(), s.Flush()); err != nil {
		fmt.Println("early:", err)
	}
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("setrlimit:", err)
	}
	say := func(what string, err error) {
		switch {
		case err == nil:
			fmt.Println(what + ": no error")
		case diskFull(err) || strings.Contains(err.Error(), "file too large"):
			fmt.Println(what + ": full")
		default:
			fmt.Println(what+":", err)
		}
	}
	b = s.NewBatch()
	err = errors.Join(b.SetBlob([]byte("s/1"), noise(4<<20)), b.Set([]byte("late"), []byte("kept")))
	if err := errors.Join(err, b.Commit()); err != nil {
		fmt.Println("first commit:", err)
	}
	say("flush", s.Flush())
	b = s.NewBatch()
	_ = b.Set([]byte("refused"), nil)
	say("commit", b.Commit())
	v, ok, err := s.Get([]byte("late"))
	fmt.Println("read:", ok && string(v) == "kept" && err == nil)
	n := 0
	err = s.Scan([]byte{0}, func(_, _ []byte) error { n++; return nil })
	_, ok, blobErr := s.Blob([]byte("s/1"))
	if err != nil || !ok || blobErr != nil {
		fmt.Println("scan:", err, ok, blobErr)
	}
	count := 0
	for _, key := range []string{"early", "late", "refused"} {
		if _, ok, err := s.Get([]byte(key)); ok && err == nil {
			count++
		}
	}
	fmt.Println("scan:", count)
	say("close", s.Close())
	again, err := Open(dir, slog.New(slog.DiscardHandler)) // the folder is released
	if err == nil {
		err = again.Close()
	}
	fmt.Println("again:", err == nil)
	if err != nil {
		fmt.Println(err)
	}
}
