package web

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"onrush/web/api"
)

// encode returns the JSON of the problem. In a flash sale nearly every answer is one, and encoding/json takes
// five times as long.
func (p *Problem) encode() ([]byte, error) {
	if len(p.Errors) > 0 {
		return json.Marshal(p)
	}
	b := make([]byte, 0, 256)
	b = appendMember(b, `{"type":`, p.Type)
	b = appendMember(b, `,"title":`, p.Title)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(p.Status), 10)
	if p.Detail != "" {
		b = appendMember(b, `,"detail":`, p.Detail)
	}
	b = appendMember(b, `,"code":`, p.Code)
	if p.RefreshAfterMS != 0 {
		b = strconv.AppendInt(append(b, `,"refresh_after_ms":`...), p.RefreshAfterMS, 10)
	}
	if p.TaskID != "" {
		b = appendMember(b, `,"task_id":`, p.TaskID)
	}
	b = appendTime(b, `,"starts_at":`, p.StartsAt)
	b = appendTime(b, `,"server_time":`, p.ServerTime)
	return append(b, '}'), nil
}

func appendMember(b []byte, name, value string) []byte {
	b, _ = jsontext.AppendQuote(append(b, name...), value) // the error is of bytes that it has replaced
	return b
}

func appendTime(b []byte, name string, at api.Millis) []byte {
	if at == 0 {
		return b
	}
	return append(append(append(append(b, name...), '"'), at.String()...), '"')
}
