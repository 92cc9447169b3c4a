package order

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxSearchName bounds the text that the name filter searches, in bytes: its column has at most 65,535.
const maxSearchName = 60_000

// SearchName returns the text that the name filter searches: the items' titles, folded, one per line. Older versions
// stored them in lower case.
func SearchName(items []Item) string {
	titles := make([]string, len(items))
	for i, it := range items {
		titles[i] = it.Title
	}
	name := FoldName(strings.Join(titles, "\n"))
	if len(name) <= maxSearchName {
		return name
	}
	return strings.ToValidUTF8(name[:maxSearchName], "")
}

// FoldName returns a name in the form in which names are compared: Unicode's NFKC, without regard to case.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
