package lua

import (
	"strconv"
	"strings"
)

// NewerVersion is the lowest version in Redis of a sale that older builds can't sell (modules/needs).
const NewerVersion = 1 << 40

// decimals end such a version: scripts read it as a number, and the Go code of older builds doesn't. Otherwise
// that code would raise the version in SQL to the version in Redis, and then write the sale without its newer parts.
const decimals = ".0"

// FormatVersion writes the version of an activity for the meta hash.
func FormatVersion(version int64) string {
	text := strconv.FormatInt(version, 10)
	if version >= NewerVersion {
		text += decimals
	}
	return text
}

// ParseVersion reads what FormatVersion writes; anything else is 0.
func ParseVersion(text string) int64 {
	version, err := strconv.ParseInt(strings.TrimSuffix(text, decimals), 10, 64)
	if err != nil {
		return 0
	}
	return version
}
