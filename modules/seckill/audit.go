package seckill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/sqldb"
	"onrush/web"
)

// Auditor holds Redis against SQL, unit by unit, and repairs what has drifted apart.
type Auditor struct {
	db  *sqldb.DB
	lua *lua.Scripts
	log *slog.Logger

	mu    sync.Mutex
	after string // the job goes on behind this activity
}

// NewAuditor makes an auditor.
func NewAuditor(p order.Parts) *Auditor { return &Auditor{db: p.DB, lua: p.Lua, log: p.Log} }

// Audit is the account of one activity. OK means that no drift was found.
type Audit struct {
	OK     bool         `json:"ok"`
	Items  []AuditItem  `json:"items"`
	Totals []AuditTotal `json:"totals"`
}

// AuditTotal holds what Redis has of a sku in all against the sum of its points:
// drift = remaining − points.
type AuditTotal struct {
	SKU       string `json:"sku_id"`
	Remaining int64  `json:"remaining"`
	Points    int64  `json:"points"`
	Drift     int64  `json:"drift"`
}

// AuditItem is the account of one sku at one point, in units:
// drift = remaining + placed + sold + returning − total. Above 0 the activity would oversell.
type AuditItem struct {
	SKU       string `json:"sku_id"`
	Point     string `json:"point_id"`
	Total     int64  `json:"total"`
	Remaining int64  `json:"remaining"` // in Redis
	Placed    int64  `json:"placed"`    // of queue and dead entries whose order SQL doesn't have
	Sold      int64  `json:"sold"`      // of orders in SQL, neither cancelled nor failed
	Returning int64  `json:"returning"` // of cancelled orders whose token is still held
	Drift     int64  `json:"drift"`
}

// errNotLoaded says that Redis doesn't have the activity.
var errNotLoaded = errors.New("the activity is not loaded")

// account is one consistent look at both stores, taken inside the fence.
type account struct {
	activity *Activity
	epoch    int64
	stock    map[string]int64
	held     map[string]token
	changes  map[string]string
	queue    map[order.Number]order.Entry // entries whose order SQL doesn't have
	owed     map[string]token             // tokens that unpaid orders in SQL and orders in the queue ask for
	keep     map[string]bool              // numbers whose token must stay
}

// token is what an order holds.
type token struct {
	sku, point string
	quantity   int64
	user       string
}

func (t token) String() string { return heldToken(t.sku, t.point, t.quantity, t.user) }

func parseToken(value string) (token, bool) {
	parts := strings.SplitN(value, ":", 4)
	if len(parts) != 4 {
		return token{}, false
	}
	quantity, err := strconv.ParseInt(parts[2], 10, 64)
	return token{sku: parts[0], point: parts[1], quantity: quantity, user: parts[3]}, err == nil
}

// Audit draws up the account of an activity. An activity that isn't loaded is a conflict.
func (u *Auditor) Audit(ctx context.Context, id string) (*Audit, error) {
	return u.run(ctx, id, mendNothing)
}

// Repair restores missing tokens, drops those of orders that aren't unpaid any more, and adds
// what makes every drift 0. It returns the account after the repair.
func (u *Auditor) Repair(ctx context.Context, id string) (*Audit, error) {
	return u.run(ctx, id, mendAll)
}

// mending is what an audit repairs.
type mending int

const (
	mendNothing mending = iota
	mendAll
	mendOversell // only where there is drift above 0
)

// run draws up the account for an operator.
func (u *Auditor) run(ctx context.Context, id string, mend mending) (*Audit, error) {
	audit, _, err := u.draw(ctx, id, mend)
	switch {
	case errors.Is(err, errNotLoaded):
		return nil, web.Errorf(web.CodeConflict, "The activity is not loaded; reload it first.")
	case err != nil && web.CodeOf(err) == "":
		return nil, web.Unavailable(err, "The account can't be drawn up right now.")
	case err != nil:
		return nil, err
	}
	return audit, nil
}

// draw draws up the account behind the fence, after the repair if there is one to do.
func (u *Auditor) draw(ctx context.Context, id string, mend mending) (audit *Audit, mended bool, err error) {
	err = u.db.InSnapshot(ctx, func(tx *sqlx.Tx) error {
		if err := fence(ctx, tx, id); err != nil {
			return err
		}
		acc, err := u.look(ctx, tx, id)
		if err != nil {
			return err
		}
		if mended, err = u.repair(ctx, tx, acc, mend); err != nil {
			return err
		}
		if mended {
			if acc, err = u.look(ctx, tx, id); err != nil {
				return err
			}
		}
		audit, err = acc.audit(ctx, tx)
		return err
	})
	return audit, mended, err
}

// look reads Redis in one transaction and SQL behind the fence.
func (u *Auditor) look(ctx context.Context, tx *sqlx.Tx, id string) (*account, error) {
	a, err := selectActivity(ctx, tx, id)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, web.NotFound("activity")
	case a.Lane == 0:
		return nil, errNotLoaded
	}
	keys := u.lua.Keys
	var state, stock, held, changes, queue, dead redis.Cmder
	err = u.lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		state = p.HMGet(ctx, keys.Meta(a.Lane, id), "state", "epoch")
		stock = p.HGetAll(ctx, keys.Stock(a.Lane, id))
		held = p.HGetAll(ctx, keys.Held(a.Lane, id))
		changes = p.HGetAll(ctx, keys.Changes(a.Lane, id))
		queue = p.LRange(ctx, keys.LockLog(a.Lane), 0, -1)
		dead = p.HGetAll(ctx, keys.Dead(a.Lane))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read activity %s from redis: %w", id, err)
	}
	meta := state.(*redis.SliceCmd).Val()
	if meta[0] == nil || meta[0] == "loading" {
		return nil, errNotLoaded
	}
	acc := &account{
		activity: a, stock: map[string]int64{}, held: map[string]token{}, owed: map[string]token{}, keep: map[string]bool{},
		changes: changes.(*redis.MapStringStringCmd).Val(),
	}
	if acc.epoch, err = strconv.ParseInt(fmt.Sprint(meta[1]), 10, 64); err != nil {
		return nil, fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	for field, text := range stock.(*redis.MapStringStringCmd).Val() {
		if acc.stock[field], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("read stock %s of activity %s: %w", field, id, err)
		}
	}
	for number, value := range held.(*redis.MapStringStringCmd).Val() {
		acc.held[number], _ = parseToken(value) // one that can't be read holds nothing, and is dropped
	}
	entries := order.EntriesOf(id, queue.(*redis.StringSliceCmd).Val(), dead.(*redis.MapStringStringCmd).Val())
	if err := acc.readQueue(ctx, tx, entries); err != nil {
		return nil, err
	}
	if err := u.readLost(ctx, acc); err != nil {
		return nil, err
	}
	return acc, acc.readOrders(ctx, tx)
}

// readLost finds out what the queue's orders hold whose token is lost: their records tell. The
// fence keeps them where they are.
func (u *Auditor) readLost(ctx context.Context, acc *account) error {
	var lost []order.Entry
	for n, e := range acc.queue {
		if _, ok := acc.held[n.String()]; !ok {
			lost = append(lost, e)
		}
	}
	orders, err := order.Records(ctx, u.lua, acc.activity.Lane, lost)
	if err != nil {
		return err
	}
	for _, o := range orders {
		acc.owed[o.Number.String()] = token{o.Items[0].SKU, o.Point, o.Items[0].Quantity, o.User}
	}
	return nil
}

func (acc *account) readQueue(ctx context.Context, tx *sqlx.Tx, entries []order.Entry) (err error) {
	for _, e := range entries {
		acc.keep[e.Number.String()] = true
	}
	acc.queue, err = order.Missing(ctx, tx, entries)
	return err
}

// readOrders gathers the tokens of SQL: those that unpaid orders ask for, and those of pending returns.
func (acc *account) readOrders(ctx context.Context, tx *sqlx.Tx) error {
	pending, err := order.PendingReturns(ctx, tx, acc.activity.ID)
	if err != nil {
		return err
	}
	for n := range pending {
		acc.keep[n.String()] = true
	}
	err = order.EachStored(ctx, tx, acc.activity.ID, func(page []order.Stored) error {
		for _, o := range page {
			if o.Status == order.Unpaid {
				acc.owed[o.Number.String()] = token{o.SKU, o.Point, o.Quantity, o.User}
				acc.keep[o.Number.String()] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// After the orders: paying doesn't pass the fence, and one that was paid in between has its
	// confirm here.
	confirms, err := order.PendingConfirms(ctx, tx, acc.activity.ID)
	for _, n := range confirms {
		acc.keep[n.String()] = true
	}
	return err
}

// audit adds the account up.
func (acc *account) audit(ctx context.Context, tx *sqlx.Tx) (*Audit, error) {
	placed, returning := map[string]int64{}, map[string]int64{}
	for n := range acc.queue {
		t, ok := acc.held[n.String()]
		if !ok {
			t = acc.owed[n.String()] // of no units where its record is lost as well
		}
		placed[stockField(t.sku, t.point)] += t.quantity
	}
	pending, err := order.PendingReturns(ctx, tx, acc.activity.ID)
	if err != nil {
		return nil, err
	}
	for n := range pending {
		if t, ok := acc.held[n.String()]; ok {
			returning[stockField(t.sku, t.point)] += t.quantity
		}
	}
	changing, err := acc.changing(ctx, tx)
	if err != nil {
		return nil, err
	}
	audit := &Audit{OK: true}
	for _, g := range acc.activity.SKUs {
		var sum int64
		for _, p := range g.Stock {
			field := stockField(g.SKU, p.Point)
			item := AuditItem{
				SKU: g.SKU, Point: p.Point, Total: p.Total, Sold: p.Sold,
				Remaining: acc.stock[field], Placed: placed[field], Returning: returning[field],
			}
			sum += item.Remaining
			item.Drift = item.Remaining + item.Placed + item.Sold + item.Returning + changing[field] - item.Total
			audit.OK = audit.OK && item.Drift == 0
			audit.Items = append(audit.Items, item)
		}
		inAll := acc.stock[g.SKU]
		audit.OK = audit.OK && inAll == sum
		audit.Totals = append(audit.Totals, AuditTotal{SKU: g.SKU, Remaining: inAll, Points: sum, Drift: inAll - sum})
	}
	return audit, nil
}

// changing is the units of stock changes that one store has and the other has not yet.
func (acc *account) changing(ctx context.Context, tx *sqlx.Tx) (map[string]int64, error) {
	var changes []StockChange
	const query = `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND kind = 'change' AND activity_id = ?`
	if err := tx.SelectContext(ctx, &changes, query, acc.activity.ID); err != nil {
		return nil, fmt.Errorf("select pending stock changes: %w", err)
	}
	units := map[string]int64{}
	for _, ch := range changes {
		applied, inRedis := acc.changes[ch.ID]
		inRedis = inRedis && applied != lua.ChangeRefused
		if (ch.Delta > 0 && !inRedis) || (ch.Delta < 0 && inRedis) {
			units[stockField(ch.SKU, ch.Point)] += max(ch.Delta, -ch.Delta)
		}
	}
	return units, nil
}
