package receiver

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"onrush/modules/catalogue"
)

const (
	// FewestDigits is how many digits of a phone number are searched at least: some places have no longer numbers.
	FewestDigits = 6
	// FewestLetters is how many characters of a name are searched at least: many have the same first one.
	FewestLetters = 2

	// maxPhone and maxName bound the columns, in characters.
	maxPhone, maxName = 40, 64
)

// Unknown is what both columns have of an order that an older version of the program stored. It is no Phone and no
// Name.
const Unknown = "?"

// Phone returns the digits of a phone number from the last one to the first, without zeros in front of the number, and
// without the "(0)" that is not dialled from abroad. People write the same number with and without the code of its
// country, so it is the end that they write alike, and an index finds what begins alike.
func Phone(text string) string {
	var digits []byte
	for _, r := range strings.ReplaceAll(catalogue.FoldName(text), "(0)", "") {
		if d, ok := digit(r); ok && (d != '0' || len(digits) > 0) {
			digits = append(digits, d)
		}
	}
	slices.Reverse(digits)
	return string(digits[:min(len(digits), maxPhone)])
}

// digit returns the ASCII digit of a decimal digit of any script. Each script has them in a run from 0 to 9.
func digit(r rune) (byte, bool) {
	switch {
	case '0' <= r && r <= '9':
		return byte(r), true
	case r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r):
		return 0, false
	}
	zero := r
	for n := 0; n < 9 && unicode.Is(unicode.Nd, zero-1); n++ {
		zero--
	}
	return byte('0' + r - zero), true //nolint:gosec // at most 9 more than '0'
}

// IsPhone reports whether a text may be a phone number, or its end: at least FewestDigits digits, and nothing else but
// what people write between and before them.
func IsPhone(text string) bool {
	other := strings.ContainsFunc(catalogue.FoldName(text), func(r rune) bool {
		_, isDigit := digit(r)
		return !isDigit && !strings.ContainsRune("+-().,/ ", r) && !unicode.In(r, unicode.Zs, unicode.Cf, unicode.Pd)
	})
	return !other && len(Phone(text)) >= FewestDigits
}

// Name returns the name of a receiver in the form in which names compare: Unicode's NFKC, without regard to case, and
// letters and digits only.
func Name(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return r
		}
		return -1
	}, catalogue.FoldName(text))
	runes := []rune(letters)
	return string(runes[:min(len(runes), maxName)])
}

// Of returns the texts of an address; both are empty without one.
func Of(a *catalogue.Address) (phone, name string) {
	if a == nil {
		return "", ""
	}
	return Phone(a.Phone), Name(a.Receiver)
}
