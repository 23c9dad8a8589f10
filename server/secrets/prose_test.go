package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sentences name a secret, which stands for %s, as people do.
var sentences = []string{
	"The password for the staging box is %s",
	"the password for staging is %s, please keep it",
	"my password is %s!",
	"password is %s for staging",
	"the admin passphrase was %s until Monday",
	"Set the password to %s.",
	"use %s as the password",
	"%s is the password for the server",
	"the password (staging): %s",
	"Password for db1 — %s",
	"The password is `%s`.",
	"the password you need is \"%s\".",
	"log in with admin / %s",
	"Login: bob/%s",
	"credentials are admin:%s",
	"Das Passwort lautet %s.",
	"Das Passwort für den Server ist %s",
	"%s ist das Passwort",
	"Mein Kennwort ist %s, bitte merken",
	"le mot de passe est %s",
	"Le mot de passe de la base est « %s ».",
	"la contraseña es %s",
	"A senha é %s",
	"het wachtwoord is %s",
	"Hasło to: %s",
	"Пароль: %s",
	"Пароль от сервера — %s",
	"密码是%s",
	"数据库的密码为：%s，请保密",
	"パスワードは%sです",
	"비밀번호는 %s입니다",
}

// keySentences name a key or a token.
var keySentences = []string{
	"My Deepgram API key is %s, keep it in mind.",
	"The token is %s",
	"here's the key: %s",
	"Here is the API key:\n\n%s\n",
	"The API key for Deepgram is %s.",
	"use %s as the API key",
	"%s is my token",
	"our Sentry auth token: %s",
	"Der API-Schlüssel lautet %s.",
	"Mein API-Key ist %s",
	"la clé API est %s",
	"la clave de API es %s",
	"Токен: %s",
	"API密钥是%s",
	"トークンは%sです",
}

// passwords are such as people choose, and keys such as services give.
var (
	passwords = []string{"hunter2", "hunter2Xq9z", "Tr0ub4dor-and-3", "Summer2024", "s3cr3t!pass", "P4ssw0rd", "correct-horse-battery-staple", "482913"}
	keys      = map[string]func(m maker) string{
		"hex": func(m maker) string { return m.hex(40) }, "long hex": func(m maker) string { return m.hex(64) }, "short hex": func(m maker) string { return m.hex(16) },
		"alnum": func(m maker) string { return m.alnum(24) }, "lower": func(m maker) string { return m.of(letters[:26]+digits, 32) }, "dash": func(m maker) string { return m.dash(43) },
	}
)

func TestSecretsInSentencesAreFound(t *testing.T) {
	s := scanner(t)
	try := func(format, secret string) {
		text := fmt.Sprintf(format, secret)
		clean, _ := s.Redact(text)
		if strings.Contains(clean, secret) {
			t.Errorf("%q becomes %q", text, clean)
		}
		held(t, s, text, clean)
	}
	for _, format := range sentences {
		for _, secret := range passwords {
			try(format, secret)
		}
	}
	for _, format := range keySentences {
		for name, make := range keys {
			for seed := range uint64(3) {
				try(format, make(maker{rand.New(rand.NewPCG(seed, uint64(len(name)*1000+len(format))))}))
			}
		}
	}
}

// prose are sentences about secrets that contain none.
var prose = []string{
	"The password is stored hashed.",
	"The password is stored with argon2id, the token is base64url encoded and signed with RS256.",
	"The password hash is sha256 with 10000 rounds; the key is derived by PBKDF2-HMAC-SHA256.",
	"The session key comes from ChaCha20-Poly1305 or AES-256-GCM.",
	"The token refresh broke in commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904.",
	"Revert 4b825dc642cb6eb9a060e54bf8d69288fbee4904: it fixes the token, the key and the password form.",
	"The hash of the token is 9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015.",
	"The commit that moved the password is 4b825dc642cb6eb9a060e54bf8d69288fbee4904.",
	"The primary key is 123e4567-e89b-12d3-a456-426614174000.",
	"The cache key is 4b825dc642cb6eb9a060e54bf8d69288fbee4904.",
	"request id 123e4567-e89b-12d3-a456-426614174000 has an expired token",
	"The token expires after 3600s; a password needs 12 characters or 8-char words.",
	"The password policy is NIST800-63B.",
	"password on server1 and server2 is rotated every 90d",
	"The API key is read from config.v2.yaml, the password from auth2.go.",
	"The token parser of jsonwebtoken@9.0.2 and golang-jwt/jwt/v5 v5.2.1 is slow.",
	"The password field is in LoginForm2.tsx, see issue #1234 and PR-567.",
	"The token was issued at 2024-11-26T19:02:07Z for bob2@example.com.",
	"The API key is in k8s, us-east-1, x86_64 and t3.2xlarge.",
	"Tokens per second: 45.2 on the RTX4090, 12.1 on the M2-Max.",
	"token budget is 3000 and the key is user_id_2024",
	"login with OAuth2 or SAML2, then open /v2/sessions",
	"The key insight: keep v1alpha1 and v1beta2 in step.",
	"Das Passwort ist gehasht, der Schlüssel liegt im Tresor.",
	"le mot de passe est stocké en sha256",
	"密码存储在数据库里，使用sha256加密。",
	"use msg_01XFDUDYJgAACzvnptvVoYEL to find the conversation",
	"https://cdn.example.com/assets/index-BkT9xQzR4mLw8vNc2pYh5sJd7fGa1eXu.js",
}

func TestProseAboutSecretsIsLeftAlone(t *testing.T) {
	s := scanner(t)
	for _, text := range prose {
		if clean, found := s.Redact(text); clean != text {
			t.Errorf("%q becomes %q (%v)", text, clean, found)
		}
	}
}

func TestKeysOfTheGeneralFormAreFoundAlone(t *testing.T) {
	s := scanner(t)
	m := maker{rand.New(rand.NewPCG(3, 4))}
	for _, prefix := range []string{"m0-", "hsk-", "retaindb_", "vcp_", "cfut_", "nvapi-", "jina_", "pcsk_4kT9zQ_", "e2b_", "csk-", "fw_", "acme-live-"} {
		for _, random := range []string{m.alnum(41), m.dash(64), m.of(letters[:26]+digits, 48)} {
			for _, format := range []string{"We use %s here.", "%s", "curl -H 'X: %s'", "https://api.example.com/?k=%s&x=1", "{\"text\":\"first\\n%s\\nlast\"}"} {
				text := fmt.Sprintf(format, prefix+random)
				clean, _ := s.Redact(text)
				if strings.Contains(clean, part(random)) {
					t.Errorf("%q becomes %q", text, clean)
				}
				held(t, s, text, clean)
			}
		}
	}
}
