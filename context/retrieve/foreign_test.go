package retrieve

import (
	"slices"
	"strings"
	"testing"
)

// TestFindsEnglishCode searches in other languages for code written in English.
func TestFindsEnglishCode(t *testing.T) {
	s := index(t, map[string]string{
		"auth/password.py":  "def check_password(user, password):\n    \"\"\"Verify the password of a user.\"\"\"\n    return hash(password) == user.digest\n",
		"net/header.py":     "def parse_header(request):\n    \"\"\"Parse the header of a request.\"\"\"\n    return request.split(':')\n",
		"files/compress.py": "def compress_file(path):\n    \"\"\"Compress a file before it is uploaded.\"\"\"\n    return zip(path)\n",
		"queue/delay.py":    "def delay(job):\n    \"\"\"Wait before a job runs once more.\"\"\"\n    return job.attempt * 2\n",
		"view/color.py":     "def color_of(row):\n    \"\"\"Give each row of the table a color.\"\"\"\n    return row % 2\n",
	})
	for _, c := range []struct{ prompt, path, because string }{
		{"Wo wird das Passwort des Benutzers überprüft?", "auth/password.py", "password"},
		{"¿dónde se comprime el archivo?", "files/compress.py", "file"},
		{"où l'en-tête de la requête est-il analysé ?", "net/header.py", "header"},
		{"где проверяется пароль пользователя?", "auth/password.py", "password"},
		{"在哪里压缩文件?", "files/compress.py", "file"},
		{"リクエストのヘッダーはどこで解析されますか", "net/header.py", "header"},
		{"사용자 비밀번호는 어디에서 확인하나요?", "auth/password.py", "password"},
	} {
		r := ask(s, c.prompt)
		if firstOf(s, r, c.path) != 0 {
			t.Errorf("%s: %v", c.prompt, places(s, r))
			continue
		}
		if reasons := r.Candidates[0].Reasons; !slices.ContainsFunc(reasons, func(s string) bool { return strings.Contains(s, c.because) }) {
			t.Errorf("%s: the reasons do not say %q: %q", c.prompt, c.because, reasons)
		}
	}
}

// A word of the prompt that occurs in the workspace is kept, whatever its other meanings.
func TestKeepsKnownWords(t *testing.T) {
	s := index(t, map[string]string{
		"lager/wert.py": "def wert(artikel):\n    \"\"\"Der Wert des Artikels im Lager.\"\"\"\n    return artikel.menge\n",
		"base/value.py": "def value(entry):\n    \"\"\"The value of an entry.\"\"\"\n    return entry.amount\n",
		"base/other.py": "def other():\n    return None\n",
	})
	r := ask(s, "Wo wird der Wert des Artikels berechnet?")
	if firstOf(s, r, "lager/wert.py") != 0 || firstOf(s, r, "base/value.py") < 0 {
		t.Errorf("%v", places(s, r))
	}
}
