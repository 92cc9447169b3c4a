package sign

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

const (
	// MinSecret is the length of the shortest secret, in bytes.
	MinSecret = 32
	// maxSecrets bounds how many secrets are accepted at once.
	maxSecrets = 4
)

// Secrets are secrets of one kind: the first signs, all are accepted. They can change while several instances run, in
// steps, so that no instance signs with a secret that another instance doesn't accept yet. First all instances get the
// new secret behind the old one. Then one instance after the other gets it in front. The old secret is left out once
// everything that it signed has expired.
//
// A secret must never be part of what makes something unique: two instances may have different ones.
type Secrets []string

// ParseSecrets returns the secrets of a setting, which semicolons separate.
func ParseSecrets(text string) (s Secrets) {
	if text == "" {
		return nil
	}
	for secret := range strings.SplitSeq(text, ";") {
		s = append(s, strings.TrimSpace(secret))
	}
	return s
}

// First returns the secret that signs; "" if there is none.
func (s Secrets) First() string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// Digests returns, for people, how many secrets a setting has and what tells them apart: of each the first four
// hexadecimal digits of the SHA-256 of NAME=secret. Instances with the same secrets in the same order have the same
// text. One in 65,536 other secrets has the same digits, which tell nothing of a random secret.
func (s Secrets) Digests(name string) string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%d:", len(s))
	for _, secret := range s {
		sum := sha256.Sum256([]byte(name + "=" + secret))
		_, _ = fmt.Fprintf(&text, " %x", sum[:2])
	}
	return text.String()
}

// Check returns why the secrets can't be used; name is their setting. A secret that is given twice means that a step of
// a change was forgotten.
func (s Secrets) Check(name string) error {
	if len(s) > maxSecrets {
		return fmt.Errorf("%s has %d secrets, but may have %d", name, len(s), maxSecrets)
	}
	for i, secret := range s {
		switch {
		case len(s) == 1 && len(secret) < MinSecret:
			return fmt.Errorf("%s is shorter than %d bytes", name, MinSecret)
		case len(secret) < MinSecret:
			return fmt.Errorf("%s: secret %d of %d is shorter than %d bytes; semicolons separate secrets",
				name, i+1, len(s), MinSecret)
		case slices.Contains(s[:i], secret):
			return fmt.Errorf("%s: secret %d is the same as one before it", name, i+1)
		}
	}
	return nil
}
