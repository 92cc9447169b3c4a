package sign

import "fmt"

// MinSecret is the length of the shortest secret, in bytes.
const MinSecret = 32

// Secrets are a secret that can change while several instances run. The change has steps, so that no instance signs
// with a secret that another instance doesn't accept yet. First all instances accept Next. Then one instance after the
// other signs with it and keeps the old secret as Previous. Previous is dropped once everything that it signed has
// expired.
//
// A secret must never be part of what makes something unique: two instances may have different ones.
type Secrets struct {
	Secret   string // signs
	Next     string // is accepted, since other instances may sign with it already; "" for none
	Previous string // is accepted; "" for none
}

// All returns the secrets that are accepted, first the one that signs.
func (s Secrets) All() []string {
	all := make([]string, 1, 3)
	all[0] = s.Secret
	for _, other := range []string{s.Next, s.Previous} {
		if other != "" {
			all = append(all, other)
		}
	}
	return all
}

// CheckOthers returns why Next or Previous can't be used beside Secret; name is the setting's name of Secret. Two equal
// secrets mean that a step was forgotten.
func (s Secrets) CheckOthers(name string) error {
	next, previous := name+"_NEXT", name+"_PREVIOUS"
	switch {
	case s.Next != "" && len(s.Next) < MinSecret:
		return fmt.Errorf("%s is shorter than %d bytes", next, MinSecret)
	case s.Previous != "" && len(s.Previous) < MinSecret:
		return fmt.Errorf("%s is shorter than %d bytes", previous, MinSecret)
	case s.Secret == "" && (s.Next != "" || s.Previous != ""):
		return fmt.Errorf("%s is missing beside %s or %s", name, next, previous)
	case s.Next != "" && s.Next == s.Secret:
		return fmt.Errorf("%s is the same as %s: leave it out once it is the secret", next, name)
	case s.Previous != "" && s.Previous == s.Secret:
		return fmt.Errorf("%s is the same as %s: it must be the secret before", previous, name)
	case s.Next != "" && s.Next == s.Previous:
		return fmt.Errorf("%s is the same as %s: the next secret must be a new one", next, previous)
	}
	return nil
}
