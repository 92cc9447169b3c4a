package queue

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// DeadEntry is a queue entry that can't be stored, as the dead hash keeps it.
type DeadEntry struct {
	Entry  string `json:"entry"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
	AtMS   int64  `json:"at"`
}

// DeadID returns the id of a dead entry in its lane: its order number, or a hash of an entry that can't
// be read.
func DeadID(e order.Entry) string {
	if e.Number > 0 {
		return e.Number.String()
	}
	sum := sha256.Sum256([]byte(e.Raw))
	return "x" + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// dead returns the value of an entry in the dead hash.
func (m *Mover) dead(w *waiting) string {
	dead, err := json.Marshal(DeadEntry{
		Entry: w.entry.Raw, Reason: w.verdict.reason, Detail: w.verdict.detail, AtMS: m.now().UnixMilli(),
	})
	if err != nil { // can't happen with strings and numbers, and must not lose the entry
		return strconv.Quote(w.entry.Raw)
	}
	return string(dead)
}

// DeadItem is one dead entry as operators see it.
type DeadItem struct {
	DeadID      string     `json:"dead_id"`
	Lane        int        `json:"lane"`
	Entry       string     `json:"entry"`
	OrderNumber string     `json:"order_number,omitempty"`
	ActivityID  string     `json:"activity_id,omitempty"`
	UserID      string     `json:"user_id,omitempty"`
	Reason      string     `json:"reason"`
	Detail      string     `json:"detail,omitempty"`
	At          api.Millis `json:"at"`
}

func deadItem(lane int, id, value string) DeadItem {
	item := DeadItem{DeadID: strconv.Itoa(lane) + "-" + id, Lane: lane}
	var d DeadEntry
	if err := json.Unmarshal([]byte(value), &d); err != nil {
		d = DeadEntry{Entry: value, Reason: order.ReasonBadEntry}
	}
	item.Entry, item.Reason, item.Detail, item.At = d.Entry, d.Reason, d.Detail, api.Millis(d.AtMS)
	if e, err := order.ParseEntry(d.Entry); err == nil {
		item.OrderNumber, item.ActivityID, item.UserID = e.Number.String(), e.Activity, e.User
	}
	return item
}

// find reads a dead entry by the id that the API shows, `<lane>-<id>`.
func (insp *Inspector) find(ctx context.Context, id string) (lane int, field string, item DeadItem, err error) {
	laneText, field, _ := strings.Cut(id, "-")
	lane, err = strconv.Atoi(laneText)
	if err != nil || lane < 1 || lane > order.MaxLane || field == "" {
		return 0, "", DeadItem{}, problem.NotFound("dead entry")
	}
	value, err := insp.lua.Redis.HGet(ctx, insp.lua.Keys.Dead(lane), field).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return 0, "", DeadItem{}, problem.NotFound("dead entry")
	case err != nil:
		return 0, "", DeadItem{},
			problem.Unavailable(fmt.Errorf("read dead entry: %w", err), "The dead entry can't be read right now.")
	}
	return lane, field, deadItem(lane, field, value), nil
}
