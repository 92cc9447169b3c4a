package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// idDigits is how many hexadecimal digits of a hash the ids and the lots of entries have.
const idDigits = 32

// secret is what the seed and the ids of the entries of a draw are made from. None of them says anything of another.
type secret string

func (s secret) digest(of ...string) string {
	mac := hmac.New(sha256.New, []byte(s))
	mac.Write([]byte(strings.Join(of, "\x00")))
	return hex.EncodeToString(mac.Sum(nil))
}

// seed is what decides the order of the entries.
func (s secret) seed() string { return s.digest("seed") }

// seedHash is shown before the seed.
func (s secret) seedHash() string { return hash(s.seed()) }

// entryID is the id of a buyer's only entry for a sku; a buyer is a user, or a limit key.
func (s secret) entryID(sku, buyer string) string { return s.digest("entry", sku, buyer)[:idDigits] }

// lot is the text that entries are sorted by.
func (s secret) lot(entryID string) string { return hash(s.seed() + "\n" + entryID)[:idDigits] }

// hash returns the SHA-256 of a text in hexadecimal digits.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
