package enrol

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// storeSlack is what a server's store may use beyond its streams: indexes, and files in which
// messages were replaced and that are not compacted yet.
const storeSlack = 256 << 20

// NodeFolder returns the name of a server's folder below the team's; servers count from 1.
func NodeFolder(number int) string { return fmt.Sprintf("node-%d", number) }

// nodes writes the folder of each server.
func (f *founding) nodes() error {
	for i := range f.o.Servers {
		dir := filepath.Join(f.dir, NodeFolder(i+1))
		files := map[string][]byte{
			AccountFile: []byte(f.tokens.account),
			filepath.Join("jwt", f.record.Account+".jwt"): []byte(f.tokens.account),
			filepath.Join("jwt", f.record.System+".jwt"):  []byte(f.tokens.system),
			ServerConfig: []byte(f.config(i)),
		}
		if err := f.serverCertificates(i, files); err != nil {
			return err
		}
		for name, data := range files {
			if err := writeFile(filepath.Join(dir, name), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// serverCertificates adds the certificates of a server to its files.
func (f *founding) serverCertificates(i int, files map[string][]byte) error {
	client := f.own
	if f.ca != nil {
		made, err := f.ca.issue(f.serverName(i), f.o.Servers[i], f.o.Routes[i])
		if err != nil {
			return err
		}
		files["tls/route.pem"], files["tls/route-key.pem"], files["tls/route-ca.pem"] = made.certificate, made.key, f.ca.certificate
		if client == nil {
			client = made
		}
	}
	if client != nil {
		files["tls/server.pem"], files["tls/server-key.pem"] = client.certificate, client.key
	}
	return nil
}

func (f *founding) serverName(i int) string {
	return fmt.Sprintf("team-%s-%d", f.record.TeamID, i+1)
}

// config returns the configuration of a server. Every path in it begins with "./ and is relative to
// the server's folder, where the server is started.
func (f *founding) config(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# A server of the team %q, for nats-server or contexture-team. Start it in this folder.
server_name: %q
listen: %q

# A message has at most 1 MiB. A client that reads too slowly is disconnected and resumes later.
max_payload: 1048576
max_pending: 16777216
max_connections: 65536
write_deadline: "10s"

jetstream {
  store_dir: "./data"
  max_memory_store: 67108864
  max_file_store: %d
  # Required: an acknowledged message is on the disk. The default, two minutes, has lost some when
  # machines failed.
  sync_interval: always
}

operator: %q
system_account: %q
resolver {
  type: full
  dir: "./jwt"
  allow_delete: false
  interval: "1m"
}
`, f.o.Team, f.serverName(i), f.o.Listen[i], f.o.FactBytes+f.o.VectorBytes+storeSlack, f.tokens.operator, f.record.System)
	if f.own != nil || f.ca != nil {
		b.WriteString("\ntls {\n  cert_file: \"./tls/server.pem\"\n  key_file: \"./tls/server-key.pem\"\n  timeout: 5\n}\n")
	}
	if len(f.o.Servers) > 1 {
		f.cluster(&b, i)
	}
	return b.String()
}

// cluster writes how a server reaches the others. Only servers with a certificate of the team's own
// authority are let in.
func (f *founding) cluster(b *strings.Builder, i int) {
	fmt.Fprintf(b, "\ncluster {\n  name: %q\n  listen: %q\n  no_advertise: true\n  # A server that is silent is given up within 15 s; by default it takes over a minute.\n  ping_interval: \"5s\"\n  ping_max: 2\n", "team-"+f.record.TeamID, f.routeListen(i))
	if f.ca != nil {
		b.WriteString("  tls {\n    cert_file: \"./tls/route.pem\"\n    key_file: \"./tls/route-key.pem\"\n    ca_file: \"./tls/route-ca.pem\"\n    verify: true\n    timeout: 5\n  }\n")
	}
	b.WriteString("  routes: [\n")
	for j, route := range f.o.Routes {
		if j != i {
			fmt.Fprintf(b, "    %q\n", "nats-route://"+route)
		}
	}
	b.WriteString("  ]\n}\n")
}

// routeListen returns the address at which a server waits for others: the interface that it also
// listens on for members, and the port that the others are told.
func (f *founding) routeListen(i int) string {
	host, _, _ := net.SplitHostPort(f.o.Listen[i]) // both were checked
	_, port, _ := net.SplitHostPort(f.o.Routes[i])
	return net.JoinHostPort(host, port)
}
