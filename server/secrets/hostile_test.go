package secrets

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostile holds texts of about a megabyte that cause as much work as possible.
var hostile = map[string]string{
	"assignments":         strings.Repeat("key=", 1<<18),
	"values":              strings.Repeat("key=a1b2c3d4e5f6 ", 1<<16),
	"secrets":             strings.Repeat("password=\"Zx8Qv1Lk9\"\n", 50000),
	"services":            strings.Repeat("adafruit=a1b2c3d4e5 ", 52000),
	"all services":        strings.Repeat("jira confluence heroku twitter okta snyk = a1b2c3d4e5 ", 20000),
	"one run":             strings.Repeat("eyJ", 350000),
	"dots":                strings.Repeat("eyJ.", 260000),
	"prefixes":            strings.Repeat("sk-", 350000),
	"headers":             strings.Repeat("-----BEGIN RSA PRIVATE KEY-----\n", 32000),
	"headers in a line":   strings.Repeat("-----BEGIN PRIVATE KEY-----", 38000),
	"keys":                strings.Repeat("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDT9x\n", 12000),
	"addresses":           strings.Repeat("a://", 260000),
	"users":               strings.Repeat("a://b:c", 150000),
	"ats":                 "a://" + strings.Repeat("b:c@", 260000),
	"quotes":              strings.Repeat("password=\"", 100000),
	"backslashes":         "token=" + strings.Repeat("\\", 1<<20),
	"backslashes, quotes": strings.Repeat("token=\\\\\\\\\\\"", 80000),
	"curl":                strings.Repeat("curl -u a ", 100000),
	"marks":               strings.Repeat(markOpen, 100000),
	"marks in a key":      "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("[REDACTED:jwt]", 70000) + "\n-----END PRIVATE KEY-----",
	"base64":              "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("QUJDREVGR0hJSktM", 65000),
	"bearer":              strings.Repeat("bearer ", 150000),
	"elements":            strings.Repeat("<password>", 100000),
	"types":               strings.Repeat("password: string ", 60000),
	"secret yaml":         strings.Repeat("kind: Secret\ndata:\n", 50000),
}

// TestHostileTextsTakeLinearTime compares the time for a text with the time for its first quarter,
// so that the race detector slows both: a quadratic algorithm would take sixteen times as long. Of
// a text that takes too long the shortest of three times counts, since other programs may have had
// the processors in one of them.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	s, most := scanner(t), 200_000
	if testing.Short() {
		most = 60_000
	}
	timed := func(text string) (clean string, took time.Duration) {
		begin := time.Now()
		clean, _ = s.Redact(text)
		return clean, time.Since(begin)
	}
	for name, text := range hostile {
		text = text[:min(len(text), most)]
		_, first := timed(text[:len(text)/4])
		_, second := timed(text[:len(text)/4])
		clean, took := timed(text)
		limit := 9*max(first, second) + 500*time.Millisecond
		for again := 0; again < 2 && took > limit; again++ {
			_, next := timed(text)
			took = min(took, next)
		}
		if took > limit {
			t.Errorf("%s: %d bytes take %v, a quarter of them %v and %v", name, len(text), took, first, second)
		}
		if a, b := strings.Count(text, "\n"), strings.Count(clean, "\n"); a != b {
			t.Errorf("%s: %d newlines become %d", name, a, b)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, text := range plain {
		f.Add(text)
	}
	for _, text := range hostile {
		f.Add(text[:200])
	}
	for _, piece := range []string{"\xff\xfe", "a\x00b", "ключ: „", "key=\"\\\\\\\"\"", "\\u003d\\u0022", "[REDACTED:jwt]"} {
		f.Add("password=\"Zx8Qv1Lk9\"" + piece + "token: " + "gh" + "p_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7J" + piece)
	}
	s, err := New(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, found := s.Redact(text)
		held(t, s, text, clean)
		if utf8.ValidString(text) && !utf8.ValidString(clean) {
			t.Errorf("%q becomes invalid: %q", text, clean)
		}
		at := 0
		for _, f := range found {
			if f.Start < at || f.End <= f.Start || f.End > len(text) || !s.vocab.known[f.Rule] {
				t.Errorf("finding %+v behind %d in %q", f, at, text)
			}
			at = f.End
		}
		if same, _ := s.RedactBytes([]byte(text)); string(same) != clean {
			t.Errorf("bytes become %q, the string %q", same, clean)
		}
	})
}
