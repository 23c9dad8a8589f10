package secrets

import "strings"

// prefixes are the prefixes of tokens that occur nowhere else. The library has most of them too, at
// their exact current lengths and followed by certain signs; these entries also find tokens that
// are truncated, longer than before, or inside something else.
var prefixes = []struct {
	rule   string
	prefix string
	bytes  *set
	least  int // of characters after the prefix
	most   int // 0 for no limit
}{
	{"aws-access-token", "AKIA", upperBytes, 16, 16},
	{"aws-access-token", "ASIA", upperBytes, 16, 16},
	{"aws-access-token", "ABIA", upperBytes, 16, 16},
	{"aws-access-token", "ACCA", upperBytes, 16, 16},
	{"github-pat", "ghp_", alnumBytes, 20, 0},
	{"github-oauth", "gho_", alnumBytes, 20, 0},
	{"github-app-token", "ghu_", alnumBytes, 20, 0},
	{"github-app-token", "ghs_", alnumBytes, 20, 0},
	{"github-refresh-token", "ghr_", alnumBytes, 20, 0},
	{"github-fine-grained-pat", "github_pat_", wordBytes, 22, 0},
	{"gitlab-pat", "glpat-", dashBytes, 16, 0},
	{"gitlab-deploy-token", "gldt-", dashBytes, 16, 0},
	{"gitlab-runner-authentication-token", "glrt-", dashBytes, 16, 0},
	{"gitlab-ptt", "glptt-", dashBytes, 16, 0},
	{"slack-bot-token", "xoxb-", dashBytes, 16, 0},
	{"slack-user-token", "xoxp-", dashBytes, 16, 0},
	{"slack-legacy-workspace-token", "xoxa-", dashBytes, 16, 0},
	{"slack-legacy-workspace-token", "xoxr-", dashBytes, 16, 0},
	{"slack-legacy-token", "xoxs-", dashBytes, 16, 0},
	{"slack-config-refresh-token", "xoxe-", dashBytes, 16, 0},
	{"slack-browser-token", "xoxc-", dashBytes, 16, 0},
	{"slack-browser-token", "xoxd-", percentBytes, 16, 0},
	{"slack-app-token", "xapp-", dashBytes, 16, 0},
	{"stripe-access-token", "sk_live_", wordBytes, 10, 0},
	{"stripe-access-token", "sk_test_", wordBytes, 10, 0},
	{"stripe-access-token", "rk_live_", wordBytes, 10, 0},
	{"stripe-access-token", "rk_test_", wordBytes, 10, 0},
	{"stripe-webhook-secret", "whsec_", base64Bytes, 16, 0},
	{"anthropic-api-key", "sk-ant-", dashBytes, 20, 0},
	{"openai-api-key", "sk-proj-", dashBytes, 20, 0},
	{"openai-api-key", "sk-svcacct-", dashBytes, 20, 0},
	{"openai-api-key", "sk-admin-", dashBytes, 20, 0},
	{"openrouter-api-key", "sk-or-", dashBytes, 20, 0},
	{"openai-api-key", "sk-", alnumBytes, 24, 0},
	{"groq-api-key", "gsk_", alnumBytes, 20, 0},
	{"xai-api-key", "xai-", alnumBytes, 40, 0},
	{"replicate-api-token", "r8_", alnumBytes, 30, 0},
	{"perplexity-api-key", "pplx-", alnumBytes, 20, 0},
	{"tavily-api-key", "tvly-", dashBytes, 20, 0},
	{"langsmith-api-key", "lsv2_", wordBytes, 32, 0},
	{"huggingface-access-token", "hf_", alnumBytes, 30, 0},
	{"gcp-api-key", "AIza", dashBytes, 30, 0},
	{"google-oauth-token", "ya29.", dotBytes, 20, 0},
	{"google-oauth-secret", "GOCSPX-", dashBytes, 20, 0},
	{"npm-access-token", "npm_", alnumBytes, 30, 0},
	{"pypi-upload-token", "pypi-", dashBytes, 40, 0},
	{"sendgrid-api-token", "SG.", dotBytes, 40, 0},
	{"mailgun-private-api-token", "key-", hexBytes, 32, 32},
	{"twilio-api-key", "SK", hexBytes, 32, 32},
	{"digitalocean-pat", "dop_v1_", hexBytes, 32, 0},
	{"digitalocean-access-token", "doo_v1_", hexBytes, 32, 0},
	{"digitalocean-refresh-token", "dor_v1_", hexBytes, 32, 0},
	{"docker-hub-token", "dckr_pat_", dashBytes, 20, 0},
	{"docker-hub-token", "dckr_oat_", dashBytes, 20, 0},
	{"atlassian-api-token", "ATATT3", base64URLBytes, 40, 0},
	{"bitbucket-app-password", "ATBB", alnumBytes, 24, 0},
	{"atlassian-api-token", "ATCTT3", base64URLBytes, 40, 0},
	{"supabase-access-token", "sbp_", hexBytes, 40, 0},
	{"supabase-secret-key", "sb_secret_", dashBytes, 20, 0},
	{"figma-token", "figd_", dashBytes, 30, 0},
	{"tailscale-key", "tskey-", dashBytes, 16, 0},
	{"vault-service-token", "hvs.", dashBytes, 20, 0},
	{"vault-batch-token", "hvb.", dashBytes, 20, 0},
	{"doppler-api-token", "dp.pt.", alnumBytes, 30, 0},
	{"doppler-api-token", "dp.st.", dotBytes, 30, 0},
	{"databricks-api-token", "dapi", hexBytes, 32, 0},
	{"new-relic-user-api-key", "NRAK-", alnumBytes, 20, 0},
	{"grafana-service-account-token", "glsa_", wordBytes, 32, 0},
	{"shopify-access-token", "shpat_", hexBytes, 32, 0},
	{"linear-api-key", "lin_api_", alnumBytes, 32, 0},
	{"postman-api-token", "PMAK-", dashBytes, 40, 0},
	{"rubygems-api-token", "rubygems_", hexBytes, 40, 0},
	{"crates-io-token", "cio", alnumBytes, 32, 32},
	{"nuget-api-key", "oy2", alnumBytes, 43, 43},
	{"circleci-token", "CCIPAT_", wordBytes, 30, 0},
	{"netlify-access-token", "nfp_", alnumBytes, 30, 0},
	{"sentry-user-token", "sntryu_", hexBytes, 40, 0},
	{"sonar-api-token", "squ_", hexBytes, 40, 40},
	{"sonar-api-token", "sqp_", hexBytes, 40, 40},
	{"sonar-api-token", "sqa_", hexBytes, 40, 40},
	{"square-secret", "sq0csp-", dashBytes, 30, 0},
	{"square-access-token", "sq0atp-", dashBytes, 20, 0},
	{"aws-mws-token", "amzn.mws.", dashBytes, 30, 0},
	{"notion-api-token", "ntn_", alnumBytes, 30, 0},
	{"notion-api-token", "secret_", alnumBytes, 43, 43},
	{"airtable-personnal-access-token", "pat", dotBytes, 79, 79},
	{"azure-storage-key", "AccountKey=", base64Bytes, 40, 0},
	{"azure-shared-access-key", "SharedAccessKey=", base64Bytes, 20, 0},
	{"azure-shared-access-signature", "sig=", percentBytes, 30, 0},
	{"aws-signature", "X-Amz-Signature=", hexBytes, 40, 0},
	{"aws-signature", "X-Amz-Security-Token=", percentBytes, 40, 0},
	{"slack-webhook-url", "hooks.slack.com/services/", pathBytes, 20, 0},
	{"slack-webhook-url", "hooks.slack.com/workflows/", pathBytes, 20, 0},
	{"slack-webhook-url", "hooks.slack.com/triggers/", pathBytes, 20, 0},
	{"discord-webhook-url", "/api/webhooks/", pathBytes, 40, 0},
	{"age-secret-key", "AGE-SECRET-KEY-1", upperBytes, 40, 0},
	{"firebase-server-key", ":APA91b", dashBytes, 60, 0},
}

var (
	upperBytes     = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits)
	alnumBytes     = bytesOf(letters + digits)
	dashBytes      = bytesOf(letters + digits + "_-")
	dotBytes       = bytesOf(letters + digits + "_-.")
	pathBytes      = bytesOf(letters + digits + "_-/")
	percentBytes   = bytesOf(letters + digits + "_-.%/+")
	hexBytes       = bytesOf(digits + "abcdefABCDEF")
	base64Bytes    = bytesOf(letters + digits + "+/=")
	base64URLBytes = bytesOf(letters + digits + "_-=")
)

// prefixed returns the matcher of one kind of token.
func prefixed(n int) matcher {
	p := &prefixes[n]
	named := strings.HasSuffix(p.prefix, "=") || strings.Contains(p.prefix, "/")
	return func(c *scan, start, end int) {
		if c.text[start:end] != p.prefix {
			return
		}
		if wordBytes[p.prefix[0]] && start > 0 && wordBytes[c.text[start-1]] && !escape(c.text, start-1) {
			return
		}
		stop := forward(c.text, end, maxToken, p.bytes)
		body := c.text[end:stop]
		if n := len(body); n < p.least || p.most > 0 && n > p.most || uniform(body) || isFiller(body) {
			return
		}
		if solid := forward(body, 0, len(body), alnumBytes) == len(body); !gibberish(body) && !mixed(body) && !(solid && hasDigit(body)) {
			return
		}
		if named {
			start = end // the name of a parameter or the place of a service says nothing
		}
		c.add(p.rule, rankExact, start, stop)
	}
}

// isFiller reports whether the text after a prefix only illustrates its length.
func isFiller(body string) bool {
	lower := strings.ToLower(body)
	return strings.Contains(lower, "xxxx") || strings.Contains(lower, "your") || strings.Contains(body, "....")
}

// webTokenRule is the rule for JSON web tokens.
const webTokenRule = "jwt"

// webToken matches at the first part of a JSON web token, signed or not: the base64 form of a text
// that begins with a brace.
func webToken(c *scan, start, end int) {
	if c.text[start:end] != "ey" || start > 0 && wordBytes[c.text[start-1]] && !escape(c.text, start-1) {
		return
	}
	dot := forward(c.text, end, maxToken, dashBytes)
	if dot-start < 12 || dot+3 >= len(c.text) || c.text[dot] != '.' {
		return
	}
	payload := forward(c.text, dot+1, maxToken, jwtBytes)
	stop := payload
	if payload < len(c.text) && c.text[payload] == '.' {
		stop = forward(c.text, payload+1, maxToken, jwtBytes)
	}
	nested := strings.HasPrefix(c.text[dot+1:], "ey") // its payload is JSON too
	if payload-dot-1 < 8 || !nested && (c.text[end] != 'J' || stop-payload < 10) {
		return
	}
	for stop < len(c.text) && stop > payload && c.text[stop] == '.' && c.text[dot+1:payload] != "" && forward(c.text, stop+1, 1, jwtBytes) > stop+1 {
		stop = forward(c.text, stop+1, maxToken, jwtBytes) // an encrypted one has five parts
	}
	c.add(webTokenRule, rankExact, start, stop)
}

var jwtBytes = bytesOf(letters + digits + "_-/=")

// botToken matches in the middle of a Telegram bot's token: ten digits, a colon, and 35 characters
// that begin with AA.
func botToken(c *scan, start, end int) {
	from := backward(c.text, start, 12, digitBytes)
	stop := forward(c.text, start+1, 64, dashBytes)
	if n := start - from; n >= 8 && n <= 10 && c.text[start:end] == ":AA" && stop-start-1 >= 33 && (from == 0 || !wordBytes[c.text[from-1]] || escape(c.text, from-1)) {
		c.add("telegram-bot-api-token", rankExact, from, stop)
	}
}

// mailKey matches at the end of a Mailchimp key: 32 hexadecimal digits and the number of the data
// centre.
func mailKey(c *scan, start, end int) {
	from := backward(c.text, start, 40, hexBytes)
	stop := forward(c.text, end, 3, digitBytes)
	if start-from == 32 && stop > end && (stop == len(c.text) || !wordBytes[c.text[stop]]) {
		c.add("mailchimp-api-key", rankExact, from, stop)
	}
}
