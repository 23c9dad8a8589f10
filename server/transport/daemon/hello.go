package daemon

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The purposes of a connection.
const (
	// Session is followed by the messages of the Language Server Protocol.
	Session = "session"
	// CommandLine is followed by the messages of a session of the program's own command line. It
	// neither starts nor replaces a daemon.
	CommandLine = "commandLine"
	// leave asks the daemon to exit in favour of a newer build.
	leave = "leave"
	// earlierCommand is the purpose sent by command lines of builds without Versions.Requests.
	earlierCommand = "command"
)

// Versions are the formats in which client and daemon must agree, and the build that decides which
// of them is replaced if they do not.
type Versions struct {
	Contract int `json:"contract"`
	Index    int `json:"index"`  // format of the indexes
	Memory   int `json:"memory"` // format of the memory
	// Requests is the version of a command line's requests beyond the contract; 0 for a build from
	// before there was one.
	Requests int   `json:"requests,omitempty"`
	Build    Build `json:"build"`
}

// agrees reports whether two builds can share one process.
func (v Versions) agrees(w Versions) bool {
	return v.Contract == w.Contract && v.Index == w.Index && v.Memory == w.Memory
}

func (v Versions) String() string {
	return fmt.Sprintf("%s with contract %d, index format %d and memory format %d", v.Build, v.Contract, v.Index, v.Memory)
}

// Hello is the first message of a client: its identity, its purpose, and the part of its
// environment and command line that applies to its session alone. All paths are absolute; "" means
// none.
type Hello struct {
	Purpose  string   `json:"purpose"`
	Versions Versions `json:"versions"`
	PID      int      `json:"pid"`

	ConfigFile string `json:"configFile,omitempty"` // --config
	ConfigDir  string `json:"configDir,omitempty"`  // the folder of the user's own files
	Home       string `json:"home,omitempty"`
	Root       string `json:"root,omitempty"` // --root, or the folder of a command line's request
	Offline    bool   `json:"offline,omitempty"`
	ModelHost  string `json:"modelHost,omitempty"` // OLLAMA_HOST
	LogFile    string `json:"logFile,omitempty"`   // where the session's log is written
	LogLevel   string `json:"logLevel,omitempty"`  // debug, info, warn or error

	// NoIndex is for a command line: it needs no index of its root, or none that does not exist
	// yet.
	NoIndex     bool `json:"noIndex,omitempty"`
	OnlyIndexed bool `json:"onlyIndexed,omitempty"`
}

// verdict is a daemon's decision about a client.
type verdict string

const (
	served       verdict = "served"
	outdated     verdict = "outdated"     // the daemon is older: it may be asked to leave
	incompatible verdict = "incompatible" // the daemon neither serves nor leaves
	leaving      verdict = "leaving"      // the daemon is exiting: look for the next one
	refused      verdict = "refused"      // Reason has the reason
)

// welcome is a daemon's answer to a hello.
type welcome struct {
	Verdict  verdict  `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`
	Versions Versions `json:"versions"`
	PID      int      `json:"pid"`
}

// judge returns the decision about a client.
func judge(h Hello, own Versions) (v verdict, reason string) {
	newer := h.Versions.Build.Compare(own.Build) > 0
	agrees := h.Versions.agrees(own)
	switch h.Purpose {
	case Session:
		switch {
		case newer:
			return outdated, ""
		case !agrees:
			return incompatible, ""
		}
		return served, ""
	case earlierCommand:
		return incompatible, ""
	case CommandLine:
		if !agrees || h.Versions.Requests != own.Requests { // it starts no daemon, so it does not replace one
			return incompatible, ""
		}
		return served, ""
	case leave:
		if !newer {
			return refused, "only a newer build makes this one leave"
		}
		return leaving, ""
	}
	return refused, fmt.Sprintf("%q is no purpose", h.Purpose)
}

const (
	// maxHello bounds a greeting; it is far larger than any real one.
	maxHello = 64 << 10
	// greetPatience is how long a daemon waits for a client's greeting, and, without another limit,
	// a client for the daemon's.
	greetPatience = 3 * time.Second
)

// writeGreeting writes a length of four bytes, big-endian, and JSON.
func writeGreeting(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write greeting: %w", err)
	}
	if len(body) > maxHello {
		return fmt.Errorf("write greeting: its %d bytes are over the limit of %d", len(body), maxHello)
	}
	if _, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)); err != nil {
		return fmt.Errorf("write greeting: %w", err)
	}
	return nil
}

// readGreeting reads exactly what writeGreeting wrote. It ignores unknown members.
func readGreeting(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return fmt.Errorf("read greeting: %w", err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxHello {
		return errors.New("read greeting: this is none")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return fmt.Errorf("read greeting: %w", err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("read greeting: %w", err)
	}
	return nil
}

// greet sends hello and reads the answer, until a time. The connection stays the caller's, without
// a deadline.
func greet(conn net.Conn, h Hello, until time.Time) (welcome, error) {
	var answer welcome
	err := conn.SetDeadline(until)
	if err == nil {
		err = writeGreeting(conn, h)
	}
	if err == nil {
		err = readGreeting(conn, &answer)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	return answer, err
}
