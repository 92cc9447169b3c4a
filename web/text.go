package web

import (
	"strings"
	"unicode/utf8"

	"onrush/web/problem"
)

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// userRule is the rule for user ids in an error detail, after the field's name.
const userRule = "must have 1 to 64 characters, no control character and no space at the end"

// isUser reports whether s is a valid user id: 1 to 64 characters, none of them a control character,
// the last no space: MySQL compares texts as if the shorter one were padded with spaces, so "bob "
// would be bob.
func isUser(s string) bool {
	return s != "" && len(s) <= 64*utf8.UTFMax && utf8.RuneCountInString(s) <= 64 && problem.IsLine(s) &&
		!strings.HasSuffix(s, " ")
}

// clip shortens a name that the client chose, before it is sent back.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
