package secrets

import (
	"encoding/base64"
	"strings"
)

// privateKey is the rule for armoured private keys of every kind.
const privateKey = "private-key"

// maxKey is the maximum length of a private key, in bytes: an RSA key of 16,384 bits takes 13,000.
const maxKey = 64 << 10

// armour matches at the dashes and the BEGIN of an armoured block. The block extends to its END or,
// if that was cut off, to the last line that looks like a key. Two mentions of a key's header with
// code between them are not a key.
func armour(c *scan, start, end int) {
	if start < c.pem {
		return // already within a key
	}
	after, ok := header(c.text, end)
	if !ok {
		return
	}
	start = backward(c.text, start, 2, dashes)
	limit := min(len(c.text), after+maxKey)
	body := c.text[after:limit]
	if i := strings.Index(body, "-BEGIN"); i >= 0 {
		body = body[:i] // another block begins; this one was cut off, or is a mention
	}
	stop := strings.Index(body, "-END")
	if stop < 0 {
		stop = strings.Index(body, "- END")
	}
	closed := stop >= 0
	if !closed {
		stop = len(body)
	}
	if closed && armoured(body[:stop]) {
		last := after + stop
		if i := strings.Index(c.text[last:min(len(c.text), last+128)], "KEY"); i >= 0 {
			last += i + len("KEY")
			last = forward(c.text, last, 24, blockBytes)
			for last > 0 && c.text[last-1] == ' ' {
				last--
			}
		}
		c.pem = last
		c.add(privateKey, rankExact, start, last)
		return
	}
	if n := keyLines(body[:stop]); n > 0 {
		c.pem = after + n
		c.add(privateKey, rankExact, start, after+n)
	}
}

// header parses the rest of a header, after the word BEGIN, and returns its end if it announces a
// private key.
func header(text string, i int) (end int, ok bool) {
	line := text[i:min(len(text), i+120)]
	n := strings.Index(line, "PRIVATE KEY")
	if n < 0 || strings.ContainsAny(line[:n], "\r\n\"'`\\") {
		return 0, false
	}
	rest := line[n+len("PRIVATE KEY"):]
	rest = strings.TrimPrefix(rest, " BLOCK")
	dashes := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(dashes, "----") {
		return 0, false
	}
	dashes = strings.TrimLeft(dashes, "-")
	return i + len(line) - len(dashes), true
}

// keyBytes are what a key's body is written with, in base64.
var keyBytes = bytesOf(letters + digits + "+/=")

// minKey is the least of base64 that is a key: an Ed25519 key in PKCS #8 takes 64 bytes, gitleaks
// asks for as many.
const minKey = 40

// armoured reports whether most of a block is base64, whatever quotes, escapes, plus signs, or
// comment marks stand around its lines.
func armoured(body string) bool {
	key, all := 0, 0
	for i := 0; i < len(body); {
		b := body[i]
		if !keyBytes[b] {
			if b > ' ' && b != '"' && b != '\\' {
				all++
			}
			i++
			continue
		}
		j := forward(body, i, len(body), keyBytes)
		n := j - i
		all += n
		if n >= 16 || key > 0 && n >= 2 && j == len(body) {
			key += n
		}
		i = j
	}
	return key >= minKey && 2*key >= all
}

// keyLines is how much of a body without an end is a key: up to the end of the last line in a row
// that holds 24 characters of base64 or more.
func keyLines(body string) int {
	end, at, misses := 0, 0, 0
	for line := range strings.Lines(body) {
		at += len(line)
		run := 0
		for i := 0; i < len(line); {
			if !keyBytes[line[i]] {
				i++
				continue
			}
			j := forward(line, i, len(line), keyBytes)
			run = max(run, j-i)
			i = j
		}
		switch {
		case run >= 24:
			end, misses = at-(len(line)-len(strings.TrimRight(line, "\r\n\"'`,;+ \\"))), 0
		case misses == 3 || end > 0 && strings.TrimSpace(line) != "":
			return end
		default:
			misses++
		}
	}
	return end
}

// putty matches at the header of PuTTY's key files: the secret is between its Private-Lines and the
// MAC after them.
func putty(c *scan, start, end int) {
	text := c.text[end:min(len(c.text), end+maxKey)]
	i := strings.Index(text, "Private-Lines:")
	if i < 0 {
		return
	}
	stop := len(text)
	if n := strings.Index(text[i:], "Private-MAC:"); n >= 0 {
		stop = i + n
	}
	if !armoured(text[i:stop]) {
		return
	}
	_, lines, _ := strings.Cut(text[i:stop], "\n")
	c.add(privateKey, rankExact, end+stop-len(lines), end+stop)
}

// encodedKey matches at the base64 form of an armoured block's beginning, as keys occur in
// Kubernetes' configuration.
func encodedKey(c *scan, start, end int) {
	const head = 64
	stop := forward(c.text, start, maxKey, keyBytes)
	if stop-start < head {
		return
	}
	plain, err := base64.StdEncoding.DecodeString(c.text[start : start+head])
	if err == nil && strings.Contains(string(plain), "PRIVATE KEY") {
		c.add(privateKey, rankExact, start, stop)
	}
}
