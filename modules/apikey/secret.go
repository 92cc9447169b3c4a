package apikey

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"onrush/modules/api"
)

const (
	secretBytes = 20 // 160 bits, 32 characters
	sumLen      = 7  // characters of a CRC-32
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newSecret makes a key.
func newSecret(random io.Reader) (string, error) {
	var raw [secretBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	body := api.KeyPrefix + letters.EncodeToString(raw[:])
	return body + checksum(body), nil
}

func checksum(body string) string {
	return letters.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))))
}

// isWhole reports whether a text has the form of a key and its checksum. It finds mistakes in typing and random texts,
// not forgeries.
func isWhole(text string) bool {
	if !strings.HasPrefix(text, api.KeyPrefix) ||
		len(text) != len(api.KeyPrefix)+letters.EncodedLen(secretBytes)+sumLen {
		return false
	}
	body, sum := text[:len(text)-sumLen], text[len(text)-sumLen:]
	return checksum(body) == sum
}

// hashOf returns the hex SHA-256 of a key, as SQL has it.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
