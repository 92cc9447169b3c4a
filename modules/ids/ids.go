// Package ids has the rule for the ids that the shop platform chooses, such as the ids of skus and activities, and the
// one way in which ids become parts of a longer text: of a key, a value or another id.
package ids

import "strings"

// Max is the maximum length of an id.
const Max = 64

// Rule is the rule for ids in an error detail, after the field's name.
const Rule = "must be 1 to 64 letters, digits, dots, colons, hyphens or underscores, and not one or two dots alone"

// Valid reports whether a text is an id of the platform: [A-Za-z0-9._:-]{1,64}, and neither "." nor "..", which
// stand for other folders in the path of a URL. Ids are case-sensitive.
func Valid(id string) bool {
	if id == "" || len(id) > Max || id == "." || id == ".." {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// Separator separates the parts of a text of several ids. No id has it, and URLs, JSON, Redis patterns and Lua patterns
// take it as it is. The scripts in lua/ know it as SEPARATOR, the pages as separator.
const Separator = "~"

// Join returns the text of several parts. Different parts make different texts if only the last part may contain
// Separator, as a user id may.
func Join(parts ...string) string { return strings.Join(parts, Separator) }

// Split returns the n parts of a text that Join made; ok is false if it has fewer. The last part may contain Separator.
func Split(text string, n int) (parts []string, ok bool) {
	parts = strings.SplitN(text, Separator, n)
	return parts, len(parts) == n
}

// Range returns the bounds of the texts that Join makes of start and one more part: from <= text < to, byte by byte.
func Range(start string) (from, to string) {
	return start + Separator, start + string(Separator[0]+1)
}
