package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// UserRule is the rule for user ids in an error detail, after the field's name.
const UserRule = "must have 1 to 64 characters, no control character and no space at the end, and no part of a path " +
	"that is one or two dots"

// IsUser reports whether s is a valid user id: 1 to 64 characters, none of them a control character, the last no
// space: MySQL compares texts as if the shorter one were padded with spaces, so "bob " would be bob. Nor has s a part
// "." or "..", which stands for another folder in the path of a URL, also when it is escaped: browsers take it away,
// and servers refuse it.
func IsUser(s string) bool {
	return s != "" && len(s) <= 64*utf8.UTFMax && utf8.RuneCountInString(s) <= 64 && IsLine(s) &&
		!strings.HasSuffix(s, " ") && !hasDots(s)
}

// hasDots reports whether a part of s is "." or "..", where programs that read paths see parts.
func hasDots(s string) bool {
	if !strings.Contains(s, ".") {
		return false
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(`/\#;?`, r) }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// IsText reports whether s is valid UTF-8 without control characters other than \n and \t.
func IsText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t'
	})
}

// IsVisible reports whether s has visible ASCII characters only.
func IsVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// IsLine reports whether s is valid UTF-8 without any control character.
func IsLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// IsSaid reports whether s has a character that people see.
func IsSaid(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// IsCurrency reports whether s is a currency code of three capital letters (ISO 4217).
func IsCurrency(s string) bool {
	if len(s) != 3 {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}
