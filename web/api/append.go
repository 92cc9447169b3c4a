package api

import "github.com/go-json-experiment/json/jsontext"

// AppendTime appends a member of a JSON object, such as `,"paid_at":` and a time; nothing for 0.
func AppendTime(b []byte, member string, at Millis) []byte {
	if at == 0 {
		return b
	}
	return append(append(append(append(b, member...), '"'), at.String()...), '"')
}

// AppendText appends a member of a JSON object, such as `,"detail":` and a text; nothing for "". Bytes that are not
// UTF-8 are replaced.
func AppendText(b []byte, member, text string) []byte {
	if text == "" {
		return b
	}
	b, _ = jsontext.AppendQuote(append(b, member...), text) // the error is of bytes that it has replaced
	return b
}
