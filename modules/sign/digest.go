package sign

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Digest returns the first bytes of the SHA-256 of parts, each preceded by its length, in base64url: 16
// characters for 12 bytes, 22 for 16. Stores keep digests, so their values must not change.
func Digest(bytes int, parts ...string) string {
	sum := sha256.Sum256(appendParts(make([]byte, 0, 512), parts...))
	return base64.RawURLEncoding.EncodeToString(sum[:bytes])
}

// appendParts appends parts, each preceded by its length, so that different parts never give the same bytes.
func appendParts(to []byte, parts ...string) []byte {
	for _, p := range parts {
		to = binary.BigEndian.AppendUint64(to, uint64(len(p)))
		to = append(to, p...)
	}
	return to
}
