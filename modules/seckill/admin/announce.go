package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// The values of activities.announced: which of the events of a sale's course were written last.
const (
	announcedNothing = iota
	announcedStart
	announcedEnd
)

// announcePage bounds how many sales one run of Announce announces of each kind.
const announcePage = 100

// Announce writes the events of sales that started, sold out or ended, and returns how many. It writes each start and
// each end once, and one event each time that a running sale has sold all open units of all skus in SQL: after units
// came back or a wave has opened, a sale may sell out again.
func (as *Activities) Announce(ctx context.Context) (written int, err error) {
	now := as.clock.NowMS()
	var failed error
	for _, step := range []announcement{
		{
			kind: journal.ActivityStarted, selects: `announced = ? AND starts_ms <= ?`, order: `starts_ms`,
			args: []any{announcedNothing, now}, set: `announced = ?`, to: announcedStart,
			at: func(a *seckill.Activity) int64 { return a.StartsMS },
		},
		{
			kind: journal.ActivitySoldOut, order: `activity_id`,
			selects: `announced = ? AND sold_out = 0 AND NOT ` + stockLeft, args: []any{announcedStart},
			set: `sold_out = ?`, to: 1, at: func(*seckill.Activity) int64 { return now },
		},
		{
			selects: `announced = ? AND sold_out = 1 AND last_wave_ms <= ? AND ` + stockLeft, order: `activity_id`,
			args: []any{announcedStart, now}, set: `sold_out = ?`, to: 0,
		},
		{
			kind: journal.ActivityEnded, selects: `announced = ? AND ends_ms <= ?`, order: `ends_ms`,
			args: []any{announcedStart, now}, set: `announced = ?`, to: announcedEnd,
			at: func(a *seckill.Activity) int64 { return a.EndsMS },
		},
	} {
		n, err := as.announce(ctx, step)
		written, failed = written+n, errors.Join(failed, err)
	}
	n, err := as.announceWaves(ctx, now)
	return written + n, errors.Join(failed, err)
}

// stockLeft is the condition that units of an activity are left in SQL.
const stockLeft = `EXISTS (SELECT 1 FROM activity_stock
	WHERE activity_stock.activity_id = activities.activity_id AND sold < total)`

// announcement is one kind of event of published sales. Its condition selects the sales that lack the event; set is the
// change after which a sale no longer meets the condition. Without a kind, only the change is made.
type announcement struct {
	kind, selects, order string
	args                 []any
	set                  string
	to                   int
	at                   func(*seckill.Activity) int64
}

// announce announces a page of sales, each in its own transaction.
func (as *Activities) announce(ctx context.Context, step announcement) (written int, err error) {
	var ids []string
	query := `SELECT activity_id FROM activities WHERE state = 'published' AND ` + step.selects +
		` ORDER BY ` + step.order + ` LIMIT ?`
	page := announcePage + as.db.Busy.Counts()[sqldb.ActivityRow] // those that are skipped take nobody's place
	if err := as.db.Read.SelectContext(ctx, &ids, query, append(step.args, page)...); err != nil {
		return 0, fmt.Errorf("select sales to announce: %w", err)
	}
	var failed error
	for _, id := range ids {
		if as.db.Busy.Skips(rowOf(id)) {
			continue
		}
		var won bool
		err := as.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			won, err = as.announceOne(ctx, tx, id, step)
			return err
		})
		as.db.Busy.Note(rowOf(id), err)
		switch {
		case err != nil: // one sale doesn't hold up the others
			failed = errors.Join(failed, fmt.Errorf("announce activity %s: %w", id, err))
		case won && step.kind != "":
			written++
		}
	}
	return written, failed
}

// rowOf is the owner of the row of an activity.
func rowOf(activity string) sqldb.Owner { return sqldb.Owner{Kind: sqldb.ActivityRow, ID: activity} }

// announceOne announces a sale by compare-and-set, and reports whether this call did.
func (as *Activities) announceOne(ctx context.Context, tx *sqlx.Tx, id string, step announcement) (bool, error) {
	// Locks the row, so that the condition, which the next query reads again, stays as it is.
	if _, err := tx.ExecContext(ctx, `UPDATE activities SET state = state WHERE activity_id = ?`, id); err != nil {
		return false, fmt.Errorf("lock the activity: %w", err)
	}
	var due int
	query := `SELECT COUNT(*) FROM activities WHERE activity_id = ? AND state = 'published' AND ` + step.selects
	if err := tx.GetContext(ctx, &due, query, append([]any{id}, step.args...)...); err != nil || due == 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE activities SET `+step.set+` WHERE activity_id = ?`,
		step.to, id); err != nil {
		return false, fmt.Errorf("record the announcement: %w", err)
	}
	if step.kind == "" {
		return true, nil
	}
	return true, writeActivityEvent(ctx, tx, step.kind, id, step.at)
}

// announceOffline writes the event of a sale that ends because it was taken offline, unless its end was announced.
func announceOffline(ctx context.Context, tx *sqlx.Tx, id string, atMS int64) error {
	res, err := tx.ExecContext(ctx, `UPDATE activities SET announced = ? WHERE activity_id = ? AND announced < ?`,
		announcedEnd, id, announcedEnd)
	if err != nil {
		return fmt.Errorf("record the end of activity %s: %w", id, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return writeActivityEvent(ctx, tx, journal.ActivityEnded, id, func(*seckill.Activity) int64 { return atMS })
}

// activityEvent is an activity in its events. It has the total units of a sku instead of the units at each stock point,
// since a sale may have 100,000 such numbers.
type activityEvent struct {
	Activity      string        `json:"activity_id"`
	Shop          string        `json:"shop_id"`
	Title         string        `json:"title"`
	State         seckill.State `json:"state"`
	StartsAt      api.Millis    `json:"starts_at"`
	EndsAt        api.Millis    `json:"ends_at"`
	PayWithinS    int64         `json:"pay_within_s"`
	PurchaseLimit int64         `json:"purchase_limit"`
	SKUs          []skuEvent    `json:"skus"`
}

type skuEvent struct {
	SKU           string        `json:"sku_id"`
	FlashPrice    int64         `json:"flash_price"`
	Currency      string        `json:"currency"`
	PurchaseLimit int64         `json:"purchase_limit"`
	Parts         seckill.Parts `json:"parts,omitempty"` // of a bundle
	Total         int64         `json:"total"`           // of a bundle, how many its parts made before the first order
	Sold          int64         `json:"sold"`            // of a bundle 0: its units are sold of its parts
}

// writeActivityEvent writes an event of an activity as the transaction leaves it. The transaction must have changed,
// and so locked, its row.
func writeActivityEvent(
	ctx context.Context, tx *sqlx.Tx, kind, id string, at func(*seckill.Activity) int64,
) error {
	a, err := seckill.SelectActivity(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case a == nil:
		return fmt.Errorf("write the event of activity %s: it no longer exists", id)
	}
	shown := activityEvent{
		Activity: a.ID, Shop: a.Shop, Title: a.Title, State: a.State, StartsAt: api.Millis(a.StartsMS),
		EndsAt: api.Millis(a.EndsMS), PayWithinS: a.PayWithinS, PurchaseLimit: a.PurchaseLimit,
		SKUs: make([]skuEvent, 0, len(a.SKUs)),
	}
	for i := range a.SKUs {
		g := &a.SKUs[i]
		sku := skuEvent{
			SKU: g.SKU, FlashPrice: g.FlashPrice, Currency: g.Currency, PurchaseLimit: g.PurchaseLimit, Parts: g.Parts,
			Total: a.Total(g),
		}
		for _, p := range g.Stock {
			sku.Sold += p.Sold
		}
		shown.SKUs = append(shown.SKUs, sku)
	}
	data, err := json.Marshal(map[string]any{"activity": shown})
	if err != nil {
		return fmt.Errorf("write the event of activity %s: %w", id, err)
	}
	return journal.Write(ctx, tx, journal.Event{Type: kind, Subject: id, AtMS: at(a), Data: string(data)})
}
