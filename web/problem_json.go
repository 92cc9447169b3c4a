package web

import (
	"encoding/json"
	"strconv"

	"onrush/web/api"
)

// encode returns the JSON of the problem. In a flash sale nearly every answer is one, and encoding/json takes
// five times as long.
func (p *Problem) encode() ([]byte, error) {
	if len(p.Errors) > 0 || p.Version != 0 || len(p.Changes) > 0 {
		return json.Marshal(p)
	}
	b := make([]byte, 0, 256)
	b = api.AppendText(b, `{"type":`, p.Type)
	b = api.AppendText(b, `,"title":`, p.Title)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(p.Status), 10)
	b = api.AppendText(b, `,"detail":`, p.Detail)
	b = api.AppendText(b, `,"code":`, p.Code)
	if p.RefreshAfterMS != 0 {
		b = strconv.AppendInt(append(b, `,"refresh_after_ms":`...), p.RefreshAfterMS, 10)
	}
	b = api.AppendText(b, `,"task_id":`, p.TaskID)
	b = api.AppendTime(b, `,"starts_at":`, p.StartsAt)
	b = api.AppendTime(b, `,"server_time":`, p.ServerTime)
	return append(b, '}'), nil
}
