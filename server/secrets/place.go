package secrets

import "strings"

const (
	commandPassword = "command-password"
	clusterSecret   = "kubernetes-secret"
)

// options maps commands to the option or word after which they take a password.
var options = map[string]string{
	"sshpass -p": "", "redis-cli -a": "", "identified by ": "", "mysql ": " -p", "mysqldump ": " -p", "ssh-keygen ": " -N ",
}

// command matches at a command that takes a password.
func command(c *scan, start, end int) {
	option := options[strings.ToLower(c.text[start:end])]
	line := c.text[end-1 : min(len(c.text), end+200)]
	if n := strings.IndexAny(line, "\r\n;|"); n >= 0 {
		line = line[:n]
	}
	var at int
	if option != "" {
		n := strings.Index(line, option)
		if n < 0 {
			return
		}
		at = end - 1 + n + len(option)
	} else {
		at = forward(c.text, end, 4, bytesOfBlanks)
	}
	a := assignedTo{kind: aPassword, form: quoted}
	if inner := skipQuote(c.text, at); inner > at {
		if !a.string(c.text, inner) {
			return
		}
	} else {
		a.value = span{at, forward(c.text, at, maxValue, unquotedBytes)}
	}
	if value := c.text[a.value.start:a.value.end]; a.value.end > a.value.start && a.convinces(value) {
		c.add(commandPassword, rankNamed, a.value.start, a.value.end)
	}
}

// maxManifest is how many bytes of a manifest around its kind are examined.
const maxManifest = 8 << 10

// cluster matches at the kind of a Kubernetes secret. All values below its data are secret.
func cluster(c *scan, start, end int) {
	from, to := max(0, start-maxManifest), min(len(c.text), end+maxManifest)
	if start < c.manifest {
		return
	}
	c.manifest = to
	view := c.text[from:to]
	if plain, ok := unescaped(view); ok {
		view = plain
	}
	at, depth, inside, text := 0, 0, false, false
	for line := range strings.Lines(view) {
		begin := at
		at += len(line)
		name, value, ok := strings.Cut(line, ":")
		key := strings.Trim(name, " \t\"'{,-")
		indent := len(name) - len(strings.TrimLeft(name, " \t"))
		switch {
		case strings.HasPrefix(line, "---"):
			inside = false
		case key == "data" || key == "stringData":
			inside, text, depth = true, key == "stringData", indent
		case inside && (!ok && strings.TrimSpace(line) != "" || indent <= depth):
			inside = false
		case inside && ok:
			secret := strings.Trim(value, " \t\r\n\"',")
			if i := strings.Index(value, secret); secret != "" && (text && !isTemplate(secret) || encoded(secret)) {
				i += from + begin + len(name) + 1
				c.add(clusterSecret, rankNamed, i, i+len(secret))
			}
		}
	}
}

// encoded reports whether a value is the base64 form of at least four bytes.
func encoded(value string) bool {
	return len(value) >= 8 && len(value)%4 == 0 && forward(value, 0, len(value), base64Bytes) == len(value)
}
