package api

import (
	"encoding/base64"
	"strings"
)

// cursorMark begins each cursor that FormatCursor makes, so that few other texts are one.
const cursorMark = "c1"

// FormatCursor returns the cursor of a list whose items sort by several keys or by a text. No key may have a NUL.
func FormatCursor(keys ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + "\x00" + strings.Join(keys, "\x00")))
}

// ParseCursor returns the keys of a cursor of FormatCursor, and whether it is one with n keys. The keys are as
// the client sent them; the caller checks them.
func ParseCursor(text string, n int) (keys []string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(raw) != text { // the decoder skips line breaks
		return nil, false
	}
	parts := strings.Split(string(raw), "\x00")
	if len(parts) != n+1 || parts[0] != cursorMark {
		return nil, false
	}
	return parts[1:], true
}
