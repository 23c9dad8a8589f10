package source

import "strings"

// Files that hold secrets are left out by their names, whatever their content: the scanner of
// contents is a second line of defence, not the first. index.include or .contextureignore
// re-includes such a file by name; its text is then redacted like any other.
//
// All names are compared in lower case.

// secretNames are whole names.
var secretNames = set(".env .envrc .netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd .htdigest .git-credentials " +
	".npmrc .pypirc .dockercfg .dockerconfigjson .s3cfg .boto .rclone.conf rclone.conf .vault-token .terraformrc terraform.rc " +
	"credentials.tfrc.json credentials credentials.json kubeconfig .fetchmailrc .msmtprc .erlang.cookie settings-security.xml " +
	"local.settings.json sitemanager.xml recentservers.xml " +
	".vault_pass .vault-pass .vault_password .vault-password .vault_pass.txt " +
	"id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss " +
	".bash_history .zsh_history .sh_history .psql_history .mysql_history .sqlite_history .rediscli_history .python_history " +
	".node_repl_history .irb_history")

// secretExts are extensions of keys, of key stores, and of files to which tools write secrets.
var secretExts = set("pem key p8 p12 pfx pkcs12 jks jceks bks keystore keytab ppk kdb kdbx ovpn agekey kubeconfig " +
	"tfstate")

// secretPlaces maps names that are ambiguous alone to the folders in which they are secret.
var secretPlaces = map[string]map[string]bool{
	"config":            set(".kube .aws"),
	"config.json":       set(".docker"),
	"credentials.toml":  set(".cargo"),
	"settings.xml":      set(".m2"),
	"auth.json":         set(".composer"),
	"hosts.yml":         set("gh"),
	"accesstokens.json": set(".azure"),
}

// secretFolders are folders of keys, each with the names that are not secret.
var secretFolders = map[string]map[string]bool{
	".ssh":   set("config known_hosts known_hosts.old"),
	".gnupg": set("gpg.conf gpg-agent.conf dirmngr.conf"),
}

// dataExts are the formats in which secrets are stored beside code; a secrets.go is code.
var dataExts = set("yml yaml json toml ini properties xml conf cfg")

// publicWords in a name mark a template without secrets: .env.example, example.tfvars,
// secrets.sample.yml.
var publicWords = set("example examples sample template tpl tmpl dist defaults default schema")

// stages are names of environments; secrets are stored for each.
var stages = set("prod production dev development staging stage test testing qa uat preview live local ci")

// secretRule returns the rule that leaves out a file by its path, or nil. under is the name of the
// root in lower case, which counts as a folder of the path.
func secretRule(under, rel string) *Rule {
	dir, name := lowerASCII(parentOf(rel)), lowerASCII(baseName(rel))
	if pattern := secretPattern(name); pattern != "" {
		return secretBy(pattern)
	}
	if folders := secretPlaces[name]; folders != nil {
		in := baseName(dir)
		if dir == "" {
			in = under
		}
		if folders[in] {
			return secretBy(in + "/" + name)
		}
	}
	for folder, harmless := range secretFolders {
		if (folder == under || isUnder(dir, folder)) && !harmless[name] && !strings.HasSuffix(name, ".pub") {
			return secretBy(folder + "/*")
		}
	}
	return nil
}

func secretBy(pattern string) *Rule {
	return &Rule{Pattern: pattern + " (a file that holds secrets)", Source: builtIn}
}

// isUnder reports whether a folder of the path dir is named folder.
func isUnder(dir, folder string) bool {
	return strings.Contains(dir, folder) && strings.Contains("/"+dir+"/", "/"+folder+"/")
}

// secretPattern returns the pattern for a lower-case name that alone marks a file with secrets, or
// "".
func secretPattern(name string) string {
	switch {
	case secretNames[name]:
		return name
	case strings.HasPrefix(name, ".env") && len(name) > 5 && strings.IndexByte(".-_", name[4]) >= 0:
		if publicWords[last(nameWords(name))] {
			return ""
		}
		return ".env" + name[4:5] + "*"
	case strings.HasPrefix(name, "ssh_host_") && strings.HasSuffix(name, "_key"):
		return "ssh_host_*_key"
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	stem, ext := name[:dot], name[dot+1:]
	switch {
	case ext == "env" || ext == "tfvars":
		if isPublic(stem) {
			return ""
		}
		return "*." + ext
	case secretExts[ext]:
		return "*." + ext
	case strings.HasSuffix(stem, ".tfvars") && ext == "json" && !isPublic(stem):
		return "*.tfvars.json"
	case strings.Contains(stem, ".tfstate"):
		return "*.tfstate.*"
	case dataExts[ext] && !isPublic(stem):
		return secretData(stem, ext)
	}
	return ""
}

// secretData returns the pattern of a data file whose name contains words for secrets, or "".
func secretData(stem, ext string) string {
	words := append(nameWords(stem), "", "")
	first, second := words[0], words[1]
	switch {
	case first != "secrets" && first != "secret":
	case second == "":
		return first + "." + ext
	case stages[second]:
		return first + "." + second + "." + ext
	}
	switch {
	case ext != "json":
	case first == "service" && strings.HasPrefix(second, "account"):
		return "service-account*.json"
	case strings.HasPrefix(stem, "serviceaccount"):
		return "serviceaccount*.json"
	case first == "client" && (second == "secret" || second == "secrets"):
		return "client_secret*.json"
	case first == "gha" && second == "creds":
		return "gha-creds-*.json"
	case strings.Contains(stem, "firebase-adminsdk"):
		return "*firebase-adminsdk*.json"
	}
	return ""
}

// nameWords splits a name at the separators of words.
func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' || r == ' ' })
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func isPublic(name string) bool {
	for _, word := range nameWords(name) {
		if publicWords[word] {
			return true
		}
	}
	return false
}
