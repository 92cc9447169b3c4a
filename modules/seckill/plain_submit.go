package seckill

import (
	"encoding/json"

	"onrush/modules/catalogue"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

// The bodies of confirmations and submits are checked here without reflection, since a crowd sends nothing else. The
// tests compare the checks with the tags of the types.

// isPlain reports whether a choice is valid and its texts are plain.
func (c *Choice) isPlain() bool {
	switch c.Delivery {
	case "", catalogue.Express, catalogue.Pickup, catalogue.None:
	default:
		return false
	}
	return c.Quantity >= 1 && c.Quantity <= maxQuantity && isIDOrEmpty(c.AddressID) && isIDOrEmpty(c.PickupPoint)
}

func isIDOrEmpty(s string) bool { return s == "" || ids.Valid(s) }

// confirmRequest is the body of a confirmation.
type confirmRequest struct{ Choice }

// IsPlain implements web.Plain.
func (r *confirmRequest) IsPlain() bool { return r.isPlain() }

// IsPlain implements web.Plain.
func (s *Submit) IsPlain() bool {
	return s.isPlain() && len(s.Fields) == 0 && problem.IsPlain(s.Confirmation, 8192) &&
		problem.IsPlain(s.Remark, 500) && problem.IsPlain(s.ClientReference, 64) &&
		problem.IsVisible(s.ClientReference) && problem.IsPlain(s.NotifyToken, 128) &&
		problem.IsVisible(s.NotifyToken) && problem.IsPlain(s.Room, 64) && problem.IsPlain(s.ShareCode, 64) &&
		problem.IsPlain(s.ShareSource, 64) && problem.IsPlain(s.Inviter, 64) &&
		(s.Inviter == "" || problem.IsUser(s.Inviter))
}

// canonical returns the JSON of a submit. Retries with the same key are compared by its digest, which stores keep,
// so it must not change.
func (s *Submit) canonical() ([]byte, error) { return json.Marshal(s) }
