package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// maker makes up parts of secrets.
type maker struct{ r *rand.Rand }

func (m maker) of(list string, n int) string {
	for {
		out := make([]byte, n)
		for i := range out {
			out[i] = list[m.r.IntN(len(list))]
		}
		if n < 8 || strings.ContainsAny(string(out), digits) {
			return string(out)
		}
	}
}
func (m maker) alnum(n int) string  { return m.of(letters+digits, n) }
func (m maker) upper(n int) string  { return m.of(letters[26:]+"234567", n) }
func (m maker) hex(n int) string    { return m.of("0123456789abcdef", n) }
func (m maker) digits(n int) string { return m.of(digits, n) }
func (m maker) base64(n int) string { return m.of(letters+digits+"+/", n) }
func (m maker) dash(n int) string   { return m.of(letters+digits+"_-", n-1) + "a" }
func (m maker) json(text string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// tokens are secrets that are recognisable by themselves. The prefixes are in two pieces, so that
// this file contains nothing that looks like one.
var tokens = map[string]func(m maker) string{
	"aws":           func(m maker) string { return "AK" + "IA" + m.upper(16) },
	"aws temporary": func(m maker) string { return "AS" + "IA" + m.upper(16) },
	"github":        func(m maker) string { return "gh" + "p_" + m.alnum(36) },
	"github oauth":  func(m maker) string { return "gh" + "o_" + m.alnum(36) },
	"github server": func(m maker) string { return "gh" + "s_" + m.alnum(36) },
	"github fine":   func(m maker) string { return "github" + "_pat_" + m.alnum(22) + "_" + m.alnum(59) },
	"gitlab":        func(m maker) string { return "gl" + "pat-" + m.dash(20) },
	"gitlab runner": func(m maker) string { return "gl" + "rt-" + m.dash(20) },
	"slack bot":     func(m maker) string { return "xo" + "xb-" + m.digits(12) + "-" + m.digits(13) + "-" + m.alnum(24) },
	"slack user": func(m maker) string {
		return "xo" + "xp-" + m.digits(11) + "-" + m.digits(11) + "-" + m.digits(12) + "-" + m.hex(32)
	},
	"slack app": func(m maker) string { return "xa" + "pp-1-A" + m.upper(10) + "-" + m.digits(13) + "-" + m.hex(64) },
	"slack hook": func(m maker) string {
		return "https" + "://hooks.slack.com/services/T" + m.upper(8) + "/B" + m.upper(8) + "/" + m.alnum(24)
	},
	"stripe":           func(m maker) string { return "sk" + "_live_" + m.alnum(24) },
	"stripe test":      func(m maker) string { return "sk" + "_test_" + m.alnum(99) },
	"stripe restrict":  func(m maker) string { return "rk" + "_live_" + m.alnum(24) },
	"stripe hook":      func(m maker) string { return "wh" + "sec_" + m.alnum(32) },
	"openai":           func(m maker) string { return "s" + "k-" + m.alnum(20) + "T3Blbk" + "FJ" + m.alnum(20) },
	"openai any":       func(m maker) string { return "s" + "k-" + m.alnum(48) },
	"openai project":   func(m maker) string { return "s" + "k-proj-" + m.dash(74) + "T3Blbk" + "FJ" + m.dash(74) },
	"openai project 2": func(m maker) string { return "s" + "k-proj-" + m.dash(48) },
	"anthropic":        func(m maker) string { return "s" + "k-ant-api03-" + m.dash(93) + "AA" },
	"anthropic short":  func(m maker) string { return "s" + "k-ant-" + m.alnum(40) },
	"google":           func(m maker) string { return "AI" + "za" + m.dash(35) },
	"google oauth":     func(m maker) string { return "ya" + "29." + m.dash(60) },
	"google secret":    func(m maker) string { return "GOC" + "SPX-" + m.dash(28) },
	"npm":              func(m maker) string { return "np" + "m_" + m.alnum(36) },
	"pypi":             func(m maker) string { return "py" + "pi-AgEIcHlwaS5vcmc" + m.dash(100) },
	"twilio":           func(m maker) string { return "S" + "K" + m.hex(32) },
	"sendgrid":         func(m maker) string { return "S" + "G." + m.dash(22) + "." + m.dash(43) },
	"mailgun":          func(m maker) string { return "ke" + "y-" + m.hex(32) },
	"digitalocean":     func(m maker) string { return "do" + "p_v1_" + m.hex(64) },
	"docker":           func(m maker) string { return "dckr" + "_pat_" + m.dash(27) },
	"huggingface":      func(m maker) string { return "h" + "f_" + m.alnum(34) },
	"databricks":       func(m maker) string { return "da" + "pi" + m.hex(32) },
	"shopify":          func(m maker) string { return "shp" + "at_" + m.hex(32) },
	"linear":           func(m maker) string { return "lin" + "_api_" + m.alnum(40) },
	"vault":            func(m maker) string { return "hv" + "s." + m.dash(95) },
	"vault short":      func(m maker) string { return "hv" + "s." + m.alnum(24) },
	"grafana":          func(m maker) string { return "gl" + "sa_" + m.alnum(32) + "_" + m.hex(8) },
	"newrelic":         func(m maker) string { return "NR" + "AK-" + m.upper(27) },
	"postman":          func(m maker) string { return "PM" + "AK-" + m.hex(24) + "-" + m.hex(34) },
	"atlassian":        func(m maker) string { return "ATA" + "TT3" + m.dash(186) },
	"rubygems":         func(m maker) string { return "ruby" + "gems_" + m.hex(48) },
	"telegram":         func(m maker) string { return m.digits(10) + ":A" + "A" + m.dash(33) },
	"mailchimp":        func(m maker) string { return m.hex(32) + "-u" + "s12" },
	"age":              func(m maker) string { return "AGE-SECRET" + "-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) },
	"tailscale":        func(m maker) string { return "ts" + "key-auth-" + m.alnum(12) + "-" + m.alnum(32) },
	"replicate":        func(m maker) string { return "r" + "8_" + m.alnum(37) },
	"groq":             func(m maker) string { return "gs" + "k_" + m.alnum(52) },
	"figma":            func(m maker) string { return "fi" + "gd_" + m.dash(40) },
	"doppler":          func(m maker) string { return "dp" + ".pt." + m.alnum(43) },
	"jwt": func(m maker) string {
		return m.json(`{"alg":"HS256","typ":"JWT"}`) + "." + m.json(`{"sub":"`+m.digits(10)+`","name":"x"}`) + "." + m.dash(43)
	},
	"discord hook": func(m maker) string {
		return "https" + "://discord.com/api/webhooks/" + m.digits(18) + "/" + m.dash(68)
	},
	"postgres":  func(m maker) string { return "postgres" + "://app:" + m.alnum(14) + "@db.internal:5432/shop" },
	"mysql":     func(m maker) string { return "mysql" + "://root:" + m.alnum(9) + "@127.0.0.1/x?a=b" },
	"mongo":     func(m maker) string { return "mongodb+srv" + "://u:" + m.alnum(12) + "%40@cluster0.mongo.test/x" },
	"redis":     func(m maker) string { return "redis" + "://:" + m.alnum(12) + "@cache:6379/0" },
	"amqp":      func(m maker) string { return "amqp" + "://guest:" + m.alnum(12) + "@mq/vhost" },
	"basic url": func(m maker) string { return "https" + "://deploy:" + m.alnum(20) + "@git.example.com/x.git" },
	"mysql dsn": func(m maker) string { return "root:" + m.alnum(12) + "@tc" + "p(localhost:3306)/shop" },
	"azure storage": func(m maker) string {
		return "DefaultEndpointsProtocol=https;AccountName=shop;Account" + "Key=" + m.base64(86) + "==;EndpointSuffix=core.test"
	},
	"azure bus": func(m maker) string {
		return "Endpoint=sb://shop.example.net/;SharedAccessKeyName=Root;SharedAccess" + "Key=" + m.base64(43) + "="
	},
	"sql server": func(m maker) string { return "Server=db;Database=shop;User Id=sa;Pass" + "word=" + m.alnum(14) + ";" },
	"jdbc":       func(m maker) string { return "jdbc:postgresql://db:5432/shop?user=app&pass" + "word=" + m.alnum(12) },
	"bearer":     func(m maker) string { return "Authorization: Bear" + "er " + m.alnum(40) },
	"basic": func(m maker) string {
		return "Authorization: Bas" + "ic " + base64.StdEncoding.EncodeToString([]byte("app:"+m.alnum(15)))
	},
}

// surroundings are texts in which a token may occur.
var surroundings = map[string]func(token string) string{
	"alone":      func(t string) string { return t },
	"line":       func(t string) string { return "first line\n" + t + "\nlast line\n" },
	"crlf":       func(t string) string { return "first line\r\n" + t + "\r\nlast line\r\n" },
	"prose":      func(t string) string { return "please use " + t + " until tomorrow" },
	"full stop":  func(t string) string { return "it is " + t + ". Thanks!" },
	"go":         func(t string) string { return "package x\n\nconst a = \"" + t + "\"\n" },
	"raw":        func(t string) string { return "var a = `" + t + "`\n" },
	"python":     func(t string) string { return "client = Client('" + t + "', timeout=3)\n" },
	"yaml":       func(t string) string { return "spec:\n  value: " + t + "\n  other: 1\n" },
	"env":        func(t string) string { return "A=1\nVALUE=" + t + "\nB=2\n" },
	"export":     func(t string) string { return "export VALUE=\"" + t + "\" # set\n" },
	"properties": func(t string) string { return "app.value = " + t + "\n" },
	"json":       func(t string) string { return `{"value": "` + t + `", "n": 1}` },
	"escaped":    func(t string) string { return `{"text": "{\"value\": \"` + t + `\", \"n\": 1}"}` },
	"twice":      func(t string) string { return `{"text": "{\"inner\": \"{\\\"value\\\": \\\"` + t + `\\\"}\"}"}` },
	"newlines":   func(t string) string { return `{"text": "first\n` + t + `\nlast"}` },
	"tabs":       func(t string) string { return `{"text": "first\t` + t + `\tlast"}` },
	"markdown":   func(t string) string { return "# Title\n\n- run with `" + t + "`\n" },
	"table":      func(t string) string { return "| name | value |\n| --- | --- |\n| x | " + t + " |\n" },
	"xml":        func(t string) string { return "<a><b>" + t + "</b></a>" },
	"attribute":  func(t string) string { return `<add name="x" connectionString="` + t + `" />` },
	"comment":    func(t string) string { return "// use " + t + "\nint x;\n" },
	"unicode":    func(t string) string { return "schlüssel „" + t + "“ 中文 🎉\n" },
	"ideographs": func(t string) string { return "密钥：" + t + "，请保密" },
	"long line": func(t string) string {
		return strings.Repeat("a=1;b(c);", 500) + `d("` + t + `");` + strings.Repeat("e+=f;", 500)
	},
	"diff":        func(t string) string { return "@@ -1 +1 @@\n-" + t + "\n+x\n" },
	"shell":       func(t string) string { return "$ curl -s -H 'X: " + t + "' http://localhost/\n" },
	"parentheses": func(t string) string { return "(" + t + ")" },
}

// part returns the part of a planted text that must be removed: its longest run of five or more
// letters and digits, preferring runs with digits.
func part(text string) string {
	longest := ""
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune(letters+digits, r) }) {
		a, b := strings.ContainsAny(run, digits), strings.ContainsAny(longest, digits)
		if len(run) < 5 {
			continue
		}
		if a && !b || a == b && len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

func TestTokensAreFoundInAllSurroundings(t *testing.T) {
	s := scanner(t)
	for name, token := range tokens {
		for place, surround := range surroundings {
			for seed := range 2 {
				m := maker{rand.New(rand.NewPCG(uint64(seed), uint64(len(name)*1000+len(place))))}
				secret := token(m)
				text := surround(secret)
				clean, _ := s.Redact(text)
				if strings.Contains(clean, part(secret)) {
					t.Errorf("%s in %s: %q stays", name, place, secret)
					break
				}
				held(t, s, text, clean)
			}
		}
	}
}

// held checks what holds for every redaction.
func held(t testing.TB, s *Scanner, text, clean string) {
	t.Helper()
	if a, b := strings.Count(text, "\n"), strings.Count(clean, "\n"); a != b {
		t.Errorf("%.200q has %d newlines, not %d", clean, b, a)
	}
	if again, _ := s.Redact(clean); again != clean {
		t.Errorf("redacted twice %.200q becomes %.200q", clean, again)
	}
}

// named are values that are recognisable only by the name they are assigned to.
var named = map[string]func(m maker) string{
	"letters and digits": func(m maker) string { return m.alnum(20) },
	"short":              func(m maker) string { return m.alnum(10) + "7" },
	"hex":                func(m maker) string { return m.hex(32) },
	"base64":             func(m maker) string { return m.base64(40) },
	"with signs":         func(m maker) string { return m.alnum(7) + "!" + m.alnum(5) + "#1" },
	"uuid": func(m maker) string {
		return m.hex(8) + "-" + m.hex(4) + "-4" + m.hex(3) + "-a" + m.hex(3) + "-" + m.hex(12)
	},
}

var names = []string{
	"password", "passwd", "db_password", "DB_PASSWORD", "dbPassword", "spring.datasource.password", "secret", "client_secret", "clientSecret",
	"api_key", "apiKey", "API_KEY", "api-key", "apikey", "access_token", "accessToken", "AUTH_TOKEN", "auth-token", "token", "secret_key", "SECRET_KEY",
	"aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "private_key", "encryption_key", "x-api-key", "SMTP_PASS", "passphrase", "JWT_SECRET", "refresh_token",
}

// assignments are ways to assign a value to a name.
var assignments = map[string]string{
	"env":         "A=1\n%s=%s\nB=2\n",
	"env quoted":  "%s=\"%s\"\n",
	"export":      "export %s=%s\n",
	"export '":    "export %s='%s'\n",
	"properties":  "a.b=c\n%s = %s\n",
	"yaml":        "a:\n  %s: %s\n  b: c\n",
	"yaml quoted": "a:\n  %s: \"%s\"\n",
	"yaml '":      "  - %s: '%s'\n",
	"json":        "{\"%s\": \"%s\"}",
	"json tight":  "{\"a\":1,\"%s\":\"%s\",\"b\":2}",
	"escaped":     "{\"text\":\"{\\\"%s\\\": \\\"%s\\\"}\"}",
	"code":        "const %s = \"%s\";\n",
	"python":      "%s = '%s'\n",
	"go":          "\t%s := \"%s\"\n",
	"ruby":        "  :%s => '%s',\n",
	"keyword":     "connect(host, %s=\"%s\", port=1)\n",
	"toml":        "[x]\n%s = \"%s\" # set\n",
	"ini":         "[x]\n%s=%s\n",
	"crlf":        "a=1\r\n%s=%s\r\nb=2\r\n",
	"xml":         "<%[1]s>%[2]s</%[1]s>\n",
	"flag":        "run --%s=%s --verbose\n",
	"escaped env": "{\"text\":\"A=1\\n%s=%s\\nB=2\"}",
	"header":      "curl -H '%s: %s' http://localhost/\n",
	"typed":       "let %s: string = \"%s\";\n",
	"dockerfile":  "ENV %s=%s\n",
}

func TestNamedValuesAreFoundInAllAssignments(t *testing.T) {
	s := scanner(t)
	missed := map[string]int{}
	all := 0
	for kind, value := range named {
		for _, name := range names {
			for place, format := range assignments {
				for seed := range 2 {
					m := maker{rand.New(rand.NewPCG(uint64(seed), uint64(len(name)*1000+len(place))))}
					secret := value(m)
					text := fmt.Sprintf(format, name, secret)
					clean, _ := s.Redact(text)
					all++
					if strings.Contains(clean, part(secret)) {
						missed[kind+" in "+place]++
						t.Logf("%s in %s: %q gives %q", kind, place, text, clean)
					}
					held(t, s, text, clean)
				}
			}
		}
	}
	for what, n := range missed {
		t.Errorf("%s: %d of %d missed", what, n, all)
	}
}

func TestPrivateKeysAreFound(t *testing.T) {
	s := scanner(t)
	m := maker{rand.New(rand.NewPCG(1, 2))}
	for _, label := range []string{"", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP "} {
		kind := label + "PRIVATE " + "KEY"
		if label == "PGP " {
			kind += " BLOCK"
		}
		var lines []string
		for range 12 {
			lines = append(lines, m.base64(64))
		}
		body := strings.Join(lines, "\n") + "\n" + m.base64(21) + "=="
		head, foot := "-----BEGIN "+kind+"-----", "-----END "+kind+"-----"
		whole := head + "\n" + body + "\n" + foot
		quoted, err := json.Marshal(map[string]string{"private_key": whole + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(string(quoted))
		if err != nil {
			t.Fatal(err)
		}
		for place, text := range map[string]string{
			"alone":        whole,
			"crlf":         strings.ReplaceAll("a\n"+whole+"\nb\n", "\n", "\r\n"),
			"yaml":         "key: |\n  " + strings.ReplaceAll(whole, "\n", "\n  ") + "\nother: 1\n",
			"json":         string(quoted),
			"json in json": string(twice),
			"code":         "key = \"" + strings.ReplaceAll(whole, "\n", "\\n\" +\n\t\"") + "\"\n",
			"comment":      "// " + strings.ReplaceAll(whole, "\n", "\n// ") + "\nint x;\n",
			"cut off":      head + "\n" + body,
			"one line":     strings.ReplaceAll(whole, "\n", " "),
			"kubeconfig":   "client-key-data: " + base64.StdEncoding.EncodeToString([]byte(whole)) + "\n",
		} {
			clean, _ := s.Redact(text)
			for _, line := range append(lines, base64.StdEncoding.EncodeToString([]byte(whole))[200:240]) {
				if strings.Contains(clean, line) {
					t.Errorf("%q in %s: %q stays in %q", kind, place, line, clean)
					break
				}
			}
			held(t, s, text, clean)
		}
	}
}
