package sign

import (
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
