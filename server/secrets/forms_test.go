package secrets

import (
	"strings"
	"testing"
)

// p is a made-up password.
const p = "Zq7" + "Rt5Wx9Lm2"

// forms are ways in which people and programs write secrets.
var forms = []string{
	"machine git.example.com login bob password " + p + "\n",
	"machine git.example.com\n  login bob\n  password " + p + "\n",
	"{\"auths\":{\"r.example.com\":{\"auth\":\"Ym9iOlpxN1J0NVd4OUxtMg==\"}}}",
	"_auth=Ym9iOlpxN1J0NVd4OUxtMg==\n",
	"//r.example.com/:_authToken=" + p + "aaaBBB111\n",
	"//r.example.com/:_password=\"WnE3UnQ1V3g5TG0y\"\n",
	"curl -u bob:" + p + " http://localhost/\n",
	"curl --user 'bob:" + p + "' http://localhost/\n",
	"mysql -u root -p" + p + " shop\n",
	"sshpass -p " + p + " ssh bob@box\n",
	"sshpass -p '" + p + "' ssh bob@box\n",
	"PGPASSWORD=" + p + " psql -h box\n",
	"PGPASSWORD='" + p + "' psql -h box\n",
	"redis-cli -a " + p + " ping\n",
	"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  conf: WnE3UnQ1V3g5TG0yWnE3UnQ1V3g5TG0y\n",
	"apiVersion: v1\nkind: Secret\nstringData:\n  conf: " + p + "\n",
	"<add key=\"ClearTextPassword\" value=\"" + p + "\" />\n",
	"<connectionStrings><add name=\"x\" connectionString=\"Server=a;Uid=b;Pwd=" + p + "\"/></connectionStrings>",
	"my password is " + p + " ok?\n",
	"the password: " + p + ", do not share\n",
	"password " + p + "\n",
	"passwort: " + p + "\n",
	"mot de passe: " + p + "\n",
	"DB_PASSWORD=hunter2\n",
	"password = \"hunter2\"\n",
	"password: hunter2\n",
	"DB_PASSWORD=correcthorsebatterystaple\n",
	"password: \"SuperSecretPassword!\"\n",
	"secret: \"this-is-my-secret-42\"\n",
	"API_KEY=planted-canary-9381\n",
	"api_key = \"planted-secret-value-93817\"\n",
	"SECRET_KEY = 'django-insecure-" + "8x!k2$9f7h3@q6w1z5v0b4n'\n",
	"client_secret: \"abcdefghijklmnop\"\n",
	"secret = \"qwertzuiopasdfgh\"\n",
	"wireguard\nPrivateKey = " + "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n",
	"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX" + "AMPLEKEY\n",
	"aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE\n",
	"x := []byte(\"" + "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7J\")",
	"Authorization: token " + p + "aB3\n",
	"X-Api-Key: " + p + "\n",
	"{\"headers\":{\"Authorization\":\"Bearer " + p + "aB3\"}}",
	"Authorization: " + p + "aB3zzz9\n",
	"https://api.example.com/v1?api_key=" + p + "&x=1\n",
	"https://api.example.com/v1?access_token=" + p + "\n",
	"https://x.blob.core.test/c?sv=2020&sig=" + "a8Fz%2Bq7Rt5Wx9Lm2a8Fzq7Rt5Wx9Lm2a8Fzq7Rt5Wx%3D\n",
	"ssh-keygen -N " + p + "\n",
	"--password " + p + "\n",
	"-Dpassword=" + p + "\n",
	"set password=" + p + "\r\n",
	"$env:DB_PASSWORD = '" + p + "'\n",
	"| password | " + p + " |\n",
	"password | " + p + "\n",
	"**Password:** `" + p + "`\n",
	"- Password: `" + p + "`\n",
	"Password:\n" + p + "\n",
	"password => \"" + p + "\"\n",
	"define('DB_PASSWORD', '" + p + "');\n",
	"config.set(\"db.password\", \"" + p + "\")\n",
	"{ name: DB_PASSWORD, value: " + p + " }\n",
	"- name: DB_PASSWORD\n  value: " + p + "\n",
	"- name: DB_PASSWORD\n  value: \"" + p + "\"\n",
	"{\"name\":\"DB_PASSWORD\",\"value\":\"" + p + "\"}",
	"spring:\n  datasource:\n    password: '" + p + "'\n",
	"password=%22" + p + "%22",
	"password=&quot;" + p + "&quot;",
	"IDENTIFIED BY '" + p + "';\n",
	"CREATE USER a WITH PASSWORD '" + p + "';\n",
	"conn = psycopg2.connect(\"dbname=x user=y password=" + p + "\")\n",
	"host=box user=a password=" + p + " dbname=x\n",
	"pass: " + p + "\n",
	"PASS=" + p + "\n",
	"pw = \"" + p + "\"\n",
	"ftp://bob:" + p + "@box/\n",
	"pwd: '" + p + "'\n",
	"let key = \"" + p + p + "\";\n",
	"oauth_consumer_secret: " + p + "\n",
	"TWILIO_AUTH_TOKEN=9f86d081884c7d659a2feaa0c55ad015\n",
	"SECRET=" + p + " node app.js\n",
	"password:" + p + "\n",
	"\\\"password\\\":\\\"" + p + "\\\"",
	"credentials: bob:" + p + "\n",
	"Database: db, User: a, Password: " + p + "\n",
}

func TestFormsAreFound(t *testing.T) {
	s := scanner(t)
	for _, text := range forms {
		clean, _ := s.Redact(text)
		if clean == text || strings.Contains(clean, p) {
			t.Errorf("%q becomes %q", text, clean)
		}
		held(t, s, text, clean)
	}
}

func TestACommentAllowsItsLine(t *testing.T) {
	line := "password = \"" + p + "\""
	text := line + " # " + allowComment + "\n" + line + "\n"
	want := line + " # " + allowComment + "\npassword = \"[REDACTED:assigned-password]\"\n"
	if clean, _ := scanner(t).Redact(text); clean != want {
		t.Errorf("got %q", clean)
	}
}

func TestAllExpressionsCompile(t *testing.T) {
	for _, r := range library().rules {
		if match, _ := r.sizes(); match.least == 0 || r.expression() == nil {
			t.Errorf("rule %s matches nothing at all", r.id)
		}
		if r.group > r.expression().NumSubexp() {
			t.Errorf("rule %s has no group %d", r.id, r.group)
		}
		for _, a := range r.allow {
			a.holds("x", "x", "x")
		}
	}
	if n := len(library().rules); n < 200 {
		t.Errorf("only %d rules", n)
	}
}
