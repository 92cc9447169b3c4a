package web

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// isText reports whether s is valid UTF-8 without control characters other than \n and \t.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t'
	})
}

// isVisible reports whether s has visible ASCII characters only.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// isLine reports whether s is valid UTF-8 without any control character.
func isLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// userRule is the rule for user ids in an error detail, after the field's name.
const userRule = "must have 1 to 64 characters, no control character and no space at the end"

// isUser reports whether s is a valid user id: 1 to 64 characters, none of them a control character,
// the last no space: MySQL compares texts as if the shorter one were padded with spaces, so "bob "
// would be bob.
func isUser(s string) bool {
	return s != "" && len(s) <= 64*utf8.UTFMax && utf8.RuneCountInString(s) <= 64 && isLine(s) && !strings.HasSuffix(s, " ")
}

// clip shortens a name that the client chose, before it is sent back.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
