package source

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names of files that hold secrets, in any case, and names that only resemble them.
var (
	secretFiles = strings.Fields(`.env .ENV .env.local .env.production .env.production.local .env.example.local .env-prod .env_staging .envrc
		prod.env app.local.env cfg/.Env deploy/docker.env
		server.pem server.PEM tls.key TLS.Key monkey.key apns.p8 a.p12 a.pfx a.jks a.keystore a.keytab a.ppk a.kdbx home.ovpn age.agekey
		id_rsa ID_RSA id_dsa id_ecdsa id_ed25519 id_ed25519_sk keys/id_rsa ssh_host_rsa_key ssh_host_ed25519_key
		.netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg .vault_pass
		b/credentials c/Credentials credentials.json kubeconfig prod.kubeconfig .aws/credentials .aws/config .kube/config .docker/config.json
		.cargo/credentials.toml .m2/settings.xml .ssh/work .ssh/deploy_key home/.ssh/keys/a .gnupg/secring
		terraform.tfstate terraform.tfstate.backup x.tfstate terraform.tfvars prod.auto.tfvars vars.tfvars.json
		service-account.json service-account-prod.json service_account.json serviceAccountKey.json client_secret_1.json
		gha-creds-1a.json app-firebase-adminsdk-x1.json
		secrets.yml secrets.yaml Secrets.YAML secrets.json secrets.toml secret.yaml secrets.prod.yaml secrets-dev.yml secrets.properties
		.bash_history .psql_history local.settings.json`)
	plainFiles = strings.Fields(`environment.go environment.md env.go env .environment .envoy.yaml .env.example .env.sample .env.template .env.dist
		.env.defaults .env.local.example .env-example .ENV.EXAMPLE example.env sample.env env.md dotenv.ts
		key.go keys.md keys.json keyboard.go pem.go id_rsa.pub id_rsa.go id_rsa.md keystore.go jks.md
		.ssh/id_rsa.pub .ssh/config npmrc .npmrc.example netrc.md
		credentials.go credentials.md credentials/aws.go credentials.example.json credentials_test.go kubeconfig.go
		config config.json docker/config.json settings.xml auth.json hosts.yml credentials.toml
		main.tf variables.tf example.tfvars terraform.tfvars.example tfvars.go tfstate.go
		service-account.go service-account.md service.json account.json client.json
		secrets.go secrets.md secrets.py secrets_test.go secret.go secrets/main.go secrets.example.yml secrets-policy.yaml secret-santa.txt secret.txt secrets.txt
		secrets.sample.json history.go bash_history.md .json .yml a.example`)
)

func TestSecretNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range slices.Concat(secretFiles, plainFiles) {
		write(t, dir, map[string]string{name: text})
	}
	tree := open(t, Options{Root: dir})
	files, skipped := walkAll(t, tree)
	for _, name := range secretFiles {
		d := tree.Decide(name)
		if d.Indexed || d.Reason != Excluded || d.Rule == nil || d.Rule.Source != builtIn || !strings.HasSuffix(d.Rule.Pattern, " (a file that holds secrets)") {
			t.Errorf("%s: %+v by %+v", name, d, d.Rule)
		}
		if slices.Contains(files, name) || skipped[name] != Excluded || tree.Admit(name) {
			t.Errorf("%s is listed, or skipped as %q, or its buffer is admitted", name, skipped[name])
		}
		if got, _, reason, _ := tree.Read(name); got != nil || reason != Excluded {
			t.Errorf("%s reads as %q: %q", name, got, reason)
		}
	}
	for _, name := range plainFiles {
		if d := tree.Decide(name); !d.Indexed || !slices.Contains(files, name) || !tree.Admit(name) {
			t.Errorf("%s is not indexed: %+v by %+v", name, d, d.Rule)
		}
	}
}

// index.include admits a file that holds secrets only if it names that file.
func TestSecretIncluded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".env": text, "a/.env": text, "a/tls.key": text, ".docker/config.json": text})
	for _, c := range []struct{ include, want string }{
		{".env", ".env"},
		{"**/.env", ".env a/.env"},
		{"**/*.key", "a/tls.key"},
		{"**/config.json", ".docker/config.json"},
		{"a", ""},
		{"**", ""},
	} {
		tree := open(t, Options{Root: dir, Include: []string{c.include}})
		if files, _ := walkAll(t, tree); !slices.Equal(files, strings.Fields(c.want)) {
			t.Errorf("include %q: %q, want %q", c.include, files, c.want)
		}
	}
}

// The root's own name counts as the folder of the files in it.
func TestSecretFolderAsRoot(t *testing.T) {
	for folder, want := range map[string]string{".ssh": "config id_rsa.pub", ".docker": "id_rsa.pub note.md", "docker": "config.json id_rsa.pub note.md"} {
		dir := filepath.Join(t.TempDir(), folder)
		names := map[string]string{"config.json": text, "id_rsa.pub": text, "note.md": text}
		if folder == ".ssh" {
			names = map[string]string{"config": text, "id_rsa.pub": text, "note.md": text}
		}
		write(t, dir, names)
		if files, _ := walkAll(t, open(t, Options{Root: dir})); !slices.Equal(files, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", folder, files, want)
		}
	}
}

func TestSecretRuleTakesAnyName(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".json", "..yml", "-.json", "_._.toml", ".env", ".env.", ".env-", ".tfvars", ".pem", "\xff.json", " .yml"} {
		secretRule("", name)
		secretRule(".ssh", "a/"+name)
	}
}
