package seckill

import (
	"encoding/json"
	"strconv"

	"onrush/modules/catalogue"
	"onrush/web/api"
	"onrush/web/problem"
)

// This file reads and writes the JSON of paths and submits without reflection, since a crowd sends and receives
// nothing else. The tests compare it with the tags of the types.

// isPlain reports whether a choice is valid and its texts are plain.
func (c *Choice) isPlain() bool {
	switch c.Delivery {
	case "", catalogue.Express, catalogue.Pickup, catalogue.None:
	default:
		return false
	}
	return c.Quantity > 0 && isIDOrEmpty(c.AddressID) && isIDOrEmpty(c.PickupPoint)
}

func isIDOrEmpty(s string) bool { return s == "" || problem.IsID(s) }

// IsPlain implements web.Plain.
func (s *Submit) IsPlain() bool {
	return s.isPlain() && len(s.Fields) == 0 && problem.IsPlain(s.Confirmation, 8192) &&
		problem.IsPlain(s.Remark, 500) && problem.IsPlain(s.ClientReference, 64) &&
		problem.IsVisible(s.ClientReference) && problem.IsPlain(s.NotifyToken, 128) &&
		problem.IsVisible(s.NotifyToken) && problem.IsPlain(s.Room, 64) && problem.IsPlain(s.ShareCode, 64) &&
		problem.IsPlain(s.ShareSource, 64) && problem.IsPlain(s.Inviter, 64)
}

// canonical returns the JSON of a submit. Retries with the same key are compared by its digest, which stores keep,
// so it must not change.
func (s *Submit) canonical() ([]byte, error) {
	if !s.IsPlain() {
		return json.Marshal(s)
	}
	b := strconv.AppendInt(append(make([]byte, 0, 256), `{"quantity":`...), s.Quantity, 10)
	b = appendPlain(b, `,"delivery":"`, string(s.Delivery))
	b = appendPlain(b, `,"address_id":"`, s.AddressID)
	b = appendPlain(b, `,"pickup_point_id":"`, s.PickupPoint)
	b = appendPlain(b, `,"confirmation":"`, s.Confirmation)
	b = appendPlain(b, `,"remark":"`, s.Remark)
	b = appendPlain(b, `,"client_reference":"`, s.ClientReference)
	b = appendPlain(b, `,"notify_token":"`, s.NotifyToken)
	b = appendPlain(b, `,"room_id":"`, s.Room)
	b = appendPlain(b, `,"share_code":"`, s.ShareCode)
	b = appendPlain(b, `,"share_source":"`, s.ShareSource)
	b = appendPlain(b, `,"inviter_id":"`, s.Inviter)
	return append(b, '}'), nil
}

// appendPlain appends a member, such as `,"room_id":"` and a plain text; nothing for "".
func appendPlain(b []byte, member, text string) []byte {
	if text == "" {
		return b
	}
	return append(append(append(b, member...), text...), '"')
}

// encode returns the JSON of the answer to a submit.
func (s *Submitted) encode() []byte {
	b := make([]byte, 0, 224)
	b = append(append(append(b, `{"task_id":"`...), s.TaskID...), `","order_number":"`...)
	b = strconv.AppendInt(b, int64(s.OrderNumber), 10)
	b = append(append(append(b, `","status":"`...), s.Status...), `","refresh_after_ms":`...)
	return append(strconv.AppendInt(b, s.RefreshAfterMS, 10), '}')
}

// encode returns the JSON of a path.
func (p Path) encode() []byte {
	b := append(append(make([]byte, 0, 256), `{"path":"`...), p.Path...)
	return append(api.AppendTime(append(b, '"'), `,"expires_at":`, p.ExpiresAt), '}')
}
