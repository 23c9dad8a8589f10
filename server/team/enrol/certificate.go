package enrol

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// certificateYears is how long a certificate is valid that Init makes.
	certificateYears = 10
	// clockTolerance is how far a machine's clock may be behind for it to accept the certificate.
	clockTolerance = 48 * time.Hour
)

// authority is a certificate authority of a team's own.
type authority struct {
	certificate []byte // PEM
	parsed      *x509.Certificate
	key         *ecdsa.PrivateKey
}

// keyPair is a certificate with its key, and what signed it where that is not known.
type keyPair struct{ certificate, key, ca []byte } // PEM

// certificates reads the servers' certificate of the options, and makes an authority where servers
// are beyond this machine: for their certificates, and for the routes between them, to which it
// admits nobody else.
func (f *founding) certificates() error {
	if f.o.CertFile != "" {
		own, err := readPair(f.o)
		if err != nil {
			return err
		}
		f.own = own
	}
	if f.o.local() && !f.o.Encrypt {
		return nil
	}
	ca, err := newAuthority("contexture " + f.record.TeamID)
	if err != nil {
		return err
	}
	f.ca = ca
	key, err := encodeKey(ca.key)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(f.dir, keyFolder, caKeyFile), key); err != nil {
		return err
	}
	return writeFile(filepath.Join(f.dir, caFile), ca.certificate)
}

func readPair(o Options) (*keyPair, error) {
	if _, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile); err != nil {
		return nil, fmt.Errorf("read the servers' certificate: %w", err)
	}
	certificate, err := os.ReadFile(o.CertFile)
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(o.KeyFile)
	if err != nil {
		return nil, err
	}
	pair := &keyPair{certificate: certificate, key: key}
	if o.CAFile != "" {
		if pair.ca, err = os.ReadFile(o.CAFile); err != nil {
			return nil, err
		}
		if !x509.NewCertPool().AppendCertsFromPEM(pair.ca) {
			return nil, fmt.Errorf("%s has no certificate", o.CAFile)
		}
	}
	return pair, nil
}

func newAuthority(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(name)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{encodeCertificate(der), parsed, key}, nil
}

// issue returns a certificate of a server with the hosts of addresses, and of this machine.
func (a *authority) issue(name string, addresses ...string) (*keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(name)
	if err != nil {
		return nil, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} // a route has both ends
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	for _, address := range addresses {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.parsed, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	private, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	return &keyPair{certificate: encodeCertificate(der), key: private}, nil
}

func newTemplate(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-clockTolerance), NotAfter: now.AddDate(certificateYears, 0, 0),
	}, nil
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, errors.Join(errors.New("encode a key"), err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
