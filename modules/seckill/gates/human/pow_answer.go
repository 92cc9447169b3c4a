package human

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"onrush/modules/sign"
)

const (
	algorithm = "SHA-256"
	// maxAnswer is the length of the longest answer that is decoded, in bytes. One of ours has about 400.
	maxAnswer = 1024
	// maxSalt is the length of the longest salt that is hashed, in bytes.
	maxSalt = 128
	// expiresParam separates the random part of a salt from the expiry, in Unix seconds, and mostParam the expiry from
	// the largest number of the challenge.
	expiresParam, mostParam = "?expires=", "&n="
)

// powAnswer is an answer: base64 of JSON as ALTCHA's clients send it. Other members are ignored.
type powAnswer struct {
	Algorithm string `json:"algorithm"`
	Challenge string `json:"challenge"`
	Number    int64  `json:"number"`
	Salt      string `json:"salt"`
	Signature string `json:"signature"`

	challenge, signature []byte // decoded
	expires              time.Time
	most                 int64 // the largest number of the challenge
}

var errForm = errors.New("not an answer to a proof of work")

// parseAnswer decodes an answer and checks its form, and nothing else.
func parseAnswer(text string) (a powAnswer, err error) {
	if len(text) > maxAnswer {
		return a, errForm
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return a, errForm
	}
	if a.Algorithm != algorithm || a.Number < 0 || len(a.Salt) > maxSalt {
		return a, errForm
	}
	if a.expires, a.most, err = parseSalt(a.Salt); err != nil {
		return a, err
	}
	if a.challenge, err = hex.DecodeString(a.Challenge); err != nil || len(a.challenge) != sha256.Size {
		return a, errForm
	}
	if a.signature, err = hex.DecodeString(a.Signature); err != nil || len(a.signature) != sign.Size {
		return a, errForm
	}
	return a, nil
}

// newSalt returns a salt. It ends with '&', so that no digit of the number that follows can be read as one
// of its parameters. A salt and a number of 8 digits fill one block of SHA-256.
func newSalt(random []byte, expires time.Time, most int64) string {
	return hex.EncodeToString(random) + expiresParam + strconv.FormatInt(expires.Unix(), 10) +
		mostParam + strconv.FormatInt(most, 10) + "&"
}

func parseSalt(salt string) (expires time.Time, most int64, err error) {
	_, params, found := strings.Cut(salt, expiresParam)
	params, ended := strings.CutSuffix(params, "&")
	first, second, both := strings.Cut(params, mostParam)
	if !found || !ended || !both {
		return expires, 0, errForm
	}
	seconds, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return expires, 0, errForm
	}
	if most, err = strconv.ParseInt(second, 10, 64); err != nil {
		return expires, 0, errForm
	}
	return time.Unix(seconds, 0), most, nil
}

// solved reports whether the number is the one that the client had to find.
func (a *powAnswer) solved() bool {
	sum := hashOf(a.Salt, a.Number)
	return bytes.Equal(sum[:], a.challenge) // the client knows both
}

func hashOf(salt string, number int64) [sha256.Size]byte {
	buf := make([]byte, 0, maxSalt+20)
	return sha256.Sum256(strconv.AppendInt(append(buf, salt...), number, 10))
}
