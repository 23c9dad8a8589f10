package fact

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// KeyBytes is the length of a team's key.
const KeyBytes = 32

// ErrSealed means that bytes cannot be opened with this team's key: another team wrote them, or
// they are damaged.
var ErrSealed = errors.New("not sealed with this team's key")

// Seal encrypts what goes to a server, so that its owner reads nothing: AES-256-GCM under a key
// that HMAC-SHA-256 derives from the team's, with a random nonce before the text. What it belongs
// to (the subject) is authenticated, so that a server cannot answer with one for another.
func Seal(team []byte, subject string, plain []byte) ([]byte, error) {
	c, err := sealer(team)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, c.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal a fact: %w", err)
	}
	return c.Seal(nonce, nonce, plain, []byte(subject)), nil
}

// Unseal returns what Seal encrypted under the same key and subject. Error: ErrSealed.
func Unseal(team []byte, subject string, sealed []byte) ([]byte, error) {
	c, err := sealer(team)
	if err != nil {
		return nil, err
	}
	if len(sealed) < c.NonceSize() {
		return nil, ErrSealed
	}
	plain, err := c.Open(nil, sealed[:c.NonceSize()], sealed[c.NonceSize():], []byte(subject))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func sealer(team []byte) (cipher.AEAD, error) {
	if len(team) != KeyBytes {
		return nil, fmt.Errorf("a team's key has %d bytes, this one has %d", KeyBytes, len(team))
	}
	mac := hmac.New(sha256.New, team)
	mac.Write([]byte("contexture facts 1"))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		return nil, fmt.Errorf("seal a fact: %w", err)
	}
	return cipher.NewGCM(block)
}
