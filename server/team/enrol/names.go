package enrol

// The streams of a team, and the prefix of the subjects under which a stored message is announced.
// Members' rights name them.
const (
	FactStream   = "CTX_FACTS"
	PackStream   = "CTX_VECTORS"
	StoredPrefix = "stored."
)

// InboxPrefix returns the prefix of the subjects on which a member receives answers. No other
// member may read them.
func InboxPrefix(publicKey string) string { return "_INBOX_" + publicKey }

// The files of a team's folder. [Init] writes them, and one folder for each server.
const (
	recordFile  = "team.json"
	lockFile    = "team.lock"
	keyFolder   = "keys"
	teamKeyFile = "team.key"
	caFile      = "ca.pem"
	caKeyFile   = "ca-key.pem"

	operatorKey = "operator.nk"         // vouches for the signing key; can be kept elsewhere
	signingKey  = "operator-signing.nk" // signs the account
	accountKey  = "account.nk"          // signs members
	systemKey   = "system.nk"           // signs who may change accounts on running servers
)

// The files of a team's folder that other packages read.
const (
	AccountFile       = "account.jwt"  // the account with its revocations; also in each server's folder
	AdminCredentials  = "admin.creds"  // may create and change the streams
	SystemCredentials = "system.creds" // may change accounts on running servers
	ServerConfig      = "nats.conf"    // in each server's folder
)
