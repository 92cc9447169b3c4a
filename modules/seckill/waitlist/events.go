package waitlist

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/journal"
)

// OfferedData is the content of the event waitlist.offered.
type OfferedData struct {
	EntryID    string     `json:"entry_id"`
	ActivityID string     `json:"activity_id"`
	SKU        string     `json:"sku_id"`
	Point      string     `json:"point_id"`
	Quantity   int64      `json:"quantity"`
	Until      api.Millis `json:"offered_until,omitzero"` // absent: as long as the sale runs
}

// Tell writes the events of offers.
func Tell(ctx context.Context, tx *sqlx.Tx, entries []Entry, nowMS int64) error {
	events := make([]journal.Event, len(entries))
	for i := range entries {
		e := &entries[i]
		data, err := json.Marshal(OfferedData{
			EntryID: e.ID, ActivityID: e.Activity, SKU: e.SKU, Point: e.Point, Quantity: e.Quantity,
			Until: e.until(),
		})
		if err != nil {
			return fmt.Errorf("write the event of an offer: %w", err)
		}
		events[i] = journal.Event{
			Type: journal.WaitlistOffered, Subject: e.ID, User: e.User, AtMS: nowMS, Data: string(data),
		}
	}
	return journal.Write(ctx, tx, events...)
}

// until returns when the offer of an entry ends; 0 if it lasts as long as the sale, or if no offer is made.
func (e *Entry) until() api.Millis {
	if o := e.Offer(); o.UntilMS < lua.NoEnd {
		return api.Millis(o.UntilMS)
	}
	return 0
}
