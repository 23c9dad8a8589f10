package secrets

import "strings"

// own is a set of this package's own rules: the rule names, the words at which they apply, and
// their matcher.
type own struct {
	ids   []string
	words []string
	match matcher
}

// native returns all of the package's own rules.
func native() []own {
	list := []own{
		{[]string{privateKey}, []string{"----begin", "---- begin"}, armour},
		{[]string{privateKey}, []string{"putty-user-key-file-"}, putty},
		{[]string{privateKey}, []string{"ls0tls1crudjti"}, encodedKey},
		{[]string{urlPassword}, []string{"://"}, address},
		{[]string{urlPassword}, []string{"@tcp(", "@unix("}, dataSource},
		{[]string{authHeader}, []string{"bearer ", "basic ", "authorization:", "authorization\":", "authorization\\\":"}, authorization},
		{[]string{commandPassword}, []string{"sshpass -p", "mysql ", "mysqldump ", "redis-cli -a", "ssh-keygen ", "identified by "}, command},
		{[]string{clusterSecret}, []string{"kind: secret", "kind: \"secret\"", "\"kind\":\"secret\"", "\"kind\": \"secret\""}, cluster},
		{[]string{assignedPassword, assignedSecret}, []string{"pass", "pwd", "secret", "token", "key", "auth", "credential", "pw"}, assignmentOf},
		{[]string{assignedPassword, assignedSecret}, append(nounWords(), "pass", "pwd", "secret", "token", "credential"), sentence},
		{[]string{webTokenRule}, []string{"ey"}, webToken},
		{[]string{"telegram-bot-api-token"}, []string{":aa"}, botToken},
		{[]string{"mailchimp-api-key"}, []string{"-us"}, mailKey},
	}
	list = append(list, own{ids: []string{prefixedToken}}) // at no word
	for i, p := range prefixes {
		list = append(list, own{[]string{p.rule}, []string{strings.ToLower(p.prefix)}, prefixed(i)})
	}
	return list
}
