package api

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendTime appends a member of a JSON object, such as `,"paid_at":` and a time; nothing for 0.
func AppendTime(b []byte, member string, at Millis) []byte {
	if at == 0 {
		return b
	}
	return append(append(append(append(b, member...), '"'), at.String()...), '"')
}

// AppendText appends a member of a JSON object, such as `,"detail":` and a text; nothing for "". As encoding/json
// does, it replaces bytes that are not UTF-8, and escapes the characters that mean something in HTML.
func AppendText(b []byte, member, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, member...)
	for i := range len(text) {
		switch text[i] {
		case '<', '>', '&', 0xe2: // the first byte of U+2028 and U+2029, among others
			quoted, _ := json.Marshal(text) //nolint:errchkjson // a text has no error
			return append(b, quoted...)
		}
	}
	b, _ = jsontext.AppendQuote(b, text) // the error is of bytes that it has replaced
	return b
}
