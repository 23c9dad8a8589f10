package secrets

import "strings"

// own are rules of our own: the names they give, which words they look at, and what does the
// looking.
type own struct {
	ids   []string
	words []string
	match matcher
}

// native are all of them.
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
		{[]string{webTokenRule}, []string{"ey"}, webToken},
		{[]string{"telegram-bot-api-token"}, []string{":aa"}, botToken},
		{[]string{"mailchimp-api-key"}, []string{"-us"}, mailKey},
	}
	for i, p := range prefixes {
		list = append(list, own{[]string{p.rule}, []string{strings.ToLower(p.prefix)}, prefixed(i)})
	}
	return list
}
