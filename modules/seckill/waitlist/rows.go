package waitlist

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Entry is a row of the table waitlist. Times are UTC milliseconds.
type Entry struct {
	Activity string `db:"activity_id"`
	SKU      string `db:"sku_id"`
	User     string `db:"user_id"`
	ID       string `db:"entry_id"`
	Point    string `db:"point_id"`
	Quantity int64  `db:"quantity"`
	Choice   string `db:"choice"` // a seckill.Choice, as JSON
	JoinedMS int64  `db:"joined_ms"`
	PassedMS int64  `db:"passed_ms"` // when others first went ahead, since there were too few units; 0: never
	UntilMS  int64  `db:"until_ms"`  // when the offer ends; 0: the buyer waits; below 0: Pending
	HeldBy   string `db:"held_by"`   // the operator who has set the units aside; "": a buyer's entry
	Note     string `db:"note"`      // of this operator
}

// Held reports whether an operator has set the units of the entry aside, for a user or for a Desk.
func (e *Entry) Held() bool { return e.HeldBy != "" }

// Pending reports whether the units of a held entry are just being set aside. Its UntilMS, without the sign, is when
// they go back.
func (e *Entry) Pending() bool { return e.UntilMS < 0 }

// Desk returns the user of the held entry with an id while no buyer is named. It is no user id, so nobody can take the
// units.
func Desk(id string) string { return "./" + id }

// Offer returns the entry as Redis has it.
func (e *Entry) Offer() lua.Offer {
	return lua.Offer{
		SKU: e.SKU, Point: e.Point, User: e.User, Quantity: e.Quantity, UntilMS: max(e.UntilMS, -e.UntilMS),
		Entry: e.ID,
	}
}

// Columns are the Columns of an Entry.
const Columns = `activity_id, sku_id, user_id, entry_id, point_id, quantity, choice, joined_ms, passed_ms, until_ms,
	held_by, note`

// OfUser selects the entry of a user for a sku; nil if there is none.
func OfUser(ctx context.Context, q sqlx.QueryerContext, activity, sku, user string) (*Entry, error) {
	var found []Entry
	const query = `SELECT ` + Columns + ` FROM waitlist WHERE activity_id = ? AND sku_id = ? AND user_id = ?`
	if err := sqlx.SelectContext(ctx, q, &found, query, activity, sku, user); err != nil {
		return nil, fmt.Errorf("select an entry of the waiting list of %s: %w", activity, err)
	}
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // as the comment says
	}
	return &found[0], nil
}

// UsersOf returns which of some users have an entry for a sku.
func UsersOf(
	ctx context.Context, q sqlx.QueryerContext, activity, sku string, users []string,
) (map[string]bool, error) {
	var found []string
	query := `SELECT user_id FROM waitlist WHERE activity_id = ? AND sku_id = ? AND user_id IN (` +
		sqldb.In(len(users)) + `)`
	args := append([]any{activity, sku}, sqldb.Args(users)...)
	if err := sqlx.SelectContext(ctx, q, &found, query, args...); err != nil {
		return nil, fmt.Errorf("select who has an entry in the waiting list of %s: %w", activity, err)
	}
	have := make(map[string]bool, len(found))
	for _, user := range found {
		have[user] = true
	}
	return have, nil
}

// ofLists selects the entries of a user that are not of a draw, which its buyers see and leave there.
const ofLists = ` FROM waitlist WHERE user_id = ? AND activity_id NOT IN (SELECT activity_id FROM draws)`

// allOf selects the entries of a user in waiting lists, but not in draws, by the time of joining.
func allOf(ctx context.Context, q sqlx.QueryerContext, user string) (entries []Entry, err error) {
	const query = `SELECT ` + Columns + ofLists + ` ORDER BY joined_ms, entry_id`
	if err := sqlx.SelectContext(ctx, q, &entries, query, user); err != nil {
		return nil, fmt.Errorf("select the entries of a user in waiting lists: %w", err)
	}
	return entries, nil
}

// offeredAtOnce is how many rows offered reads at once. Vitess answers no statement with more than 10,000 rows.
const offeredAtOnce = 10_000

// offered selects the entries of an activity to which units are offered, or for which they are being set aside, page
// by page of the index waitlist_by.
func offered(ctx context.Context, q sqlx.QueryerContext, activity string) (entries []Entry, err error) {
	const query = `SELECT ` + Columns + ` FROM waitlist WHERE activity_id = ? AND until_ms <> 0 AND until_ms >= ?
		AND (until_ms, sku_id, point_id, joined_ms, entry_id) > (?, ?, ?, ?, ?)
		ORDER BY until_ms, sku_id, point_id, joined_ms, entry_id LIMIT ?`
	for after := (Entry{UntilMS: math.MinInt64}); ; {
		var page []Entry
		if err := sqlx.SelectContext(ctx, q, &page, query, activity, after.UntilMS, after.UntilMS, after.SKU,
			after.Point, after.JoinedMS, after.ID, offeredAtOnce); err != nil {
			return nil, fmt.Errorf("select the offers of %s: %w", activity, err)
		}
		if entries = append(entries, page...); len(page) < offeredAtOnce {
			return entries, nil
		}
		after = page[len(page)-1]
	}
}

// HoldByID selects what an operator has set aside by the id of the entry, whoever its user is; nil if there is none.
func HoldByID(ctx context.Context, q sqlx.QueryerContext, activity, id string) (*Entry, error) {
	var found []Entry
	const query = `SELECT ` + Columns + ` FROM waitlist WHERE activity_id = ? AND until_ms <> 0 AND held_by <> ''
		AND entry_id = ?`
	if err := sqlx.SelectContext(ctx, q, &found, query, activity, id); err != nil {
		return nil, fmt.Errorf("select units that are set aside in %s: %w", activity, err)
	}
	for i := range found {
		if found[i].ID == id { // SQL may compare without spaces at the end
			return &found[i], nil
		}
	}
	return nil, nil //nolint:nilnil // as the comment says
}

// waited is units of a sku at a point for which buyers wait.
type waited struct {
	SKU   string `db:"sku_id"`
	Point string `db:"point_id"`
	Entry string `db:"entry_id"` // one of them
}

// waiting selects for which units of an activity buyers wait. Each sku at a point takes one look into the index,
// however many wait.
func waiting(ctx context.Context, q sqlx.QueryerContext, activity string) (regions []waited, err error) {
	const query = `SELECT s.sku_id, s.point_id, COALESCE((
			SELECT w.entry_id FROM waitlist w /*! FORCE INDEX (waitlist_by) */ WHERE w.activity_id = s.activity_id
				AND w.until_ms = 0 AND w.sku_id = s.sku_id AND w.point_id = s.point_id
			ORDER BY w.joined_ms, w.entry_id LIMIT 1), '') AS entry_id
		FROM activity_stock s WHERE s.activity_id = ?`
	if err := sqlx.SelectContext(ctx, q, &regions, query, activity); err != nil {
		return nil, fmt.Errorf("select who waits in %s: %w", activity, err)
	}
	return slices.DeleteFunc(regions, func(w waited) bool { return w.Entry == "" }), nil
}

// withEntries selects the first activities behind the id after that have entries, up to most. Each activity takes one
// look into the index, however many entries it has.
func withEntries(ctx context.Context, q sqlx.QueryerContext, after string, most int) (ids []string, err error) {
	const query = `SELECT activity_id FROM waitlist WHERE activity_id > ? ORDER BY activity_id LIMIT 1`
	for len(ids) < most {
		var next []string
		if err := sqlx.SelectContext(ctx, q, &next, query, after); err != nil {
			return nil, fmt.Errorf("select the sales whose waiting lists have entries: %w", err)
		}
		if len(next) == 0 {
			break
		}
		after = next[0]
		ids = append(ids, after)
	}
	return ids, nil
}

// drawn returns all units of a draw, which nobody can buy without an offer, whether buyers wait or not.
func drawn(a *seckill.Activity) (regions []waited) {
	if !a.Draws() {
		return nil
	}
	for _, g := range a.SKUs {
		for _, p := range g.Stock {
			regions = append(regions, waited{SKU: g.SKU, Point: p.Point, Entry: string(a.Mode)})
		}
	}
	return regions
}

// first selects the first n entries that wait for units of a sku at a point and come after an entry, in their order.
func first(
	ctx context.Context, q sqlx.QueryerContext, activity, sku, point string, after Entry, n int,
) (entries []Entry, err error) {
	const query = `SELECT ` + Columns + ` FROM waitlist WHERE activity_id = ? AND until_ms = 0 AND sku_id = ?
		AND point_id = ? AND (joined_ms > ? OR joined_ms = ? AND entry_id > ?) ORDER BY joined_ms, entry_id LIMIT ?`
	if err := sqlx.SelectContext(ctx, q, &entries, query, activity, sku, point, after.JoinedMS, after.JoinedMS,
		after.ID, n); err != nil {
		return nil, fmt.Errorf("select who waits first in %s: %w", activity, err)
	}
	return entries, nil
}

// behind reports whether an entry comes after another one that waits for the same units.
func (e *Entry) behind(other *Entry) bool {
	return e.JoinedMS > other.JoinedMS || e.JoinedMS == other.JoinedMS && e.ID > other.ID
}

// countUpTo counts the entries behind one, up to another one that waits for the same units, and this one.
func countUpTo(ctx context.Context, q sqlx.QueryerContext, e, behind *Entry) (n int64, err error) {
	const query = `SELECT COUNT(*) FROM waitlist WHERE activity_id = ? AND until_ms = 0 AND sku_id = ? AND point_id = ?
		AND (joined_ms > ? OR joined_ms = ? AND entry_id > ?) AND (joined_ms < ? OR joined_ms = ? AND entry_id <= ?)`
	if err := sqlx.GetContext(ctx, q, &n, query, e.Activity, e.SKU, e.Point, behind.JoinedMS, behind.JoinedMS,
		behind.ID, e.JoinedMS, e.JoinedMS, e.ID); err != nil {
		return 0, fmt.Errorf("count the places in the waiting list of %s: %w", e.Activity, err)
	}
	return n, nil
}

// Insert inserts entries. The error is a duplicate if a user has one of the sku.
func Insert(ctx context.Context, tx *sqlx.Tx, entries ...Entry) error {
	const query = `INSERT INTO waitlist (` + Columns + `) VALUES`
	args := make([]any, 0, 12*len(entries))
	for _, e := range entries {
		args = append(args, e.Activity, e.SKU, e.User, e.ID, e.Point, e.Quantity, e.Choice, e.JoinedMS, e.PassedMS,
			e.UntilMS, e.HeldBy, e.Note)
	}
	if err := sqldb.Insert(ctx, tx, query, `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args); err != nil {
		return fmt.Errorf("insert %d entries into waiting lists: %w", len(entries), err)
	}
	return nil
}

// remove deletes entries, unless their users have other ones by now.
func remove(ctx context.Context, db *sqldb.DB, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return db.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, e := range entries {
			if _, err := Delete(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete deletes an entry, unless its user has another one by now, and reports whether it was there. The
// Offerer ends its offer in Redis.
func Delete(ctx context.Context, tx *sqlx.Tx, e Entry) (deleted bool, err error) {
	const query = `DELETE FROM waitlist WHERE activity_id = ? AND sku_id = ? AND user_id = ? AND entry_id = ?`
	deleted, err = sqldb.Changed(tx.ExecContext(ctx, query, e.Activity, e.SKU, e.User, e.ID))
	if err != nil {
		return false, fmt.Errorf("delete an entry of the waiting list of %s: %w", e.Activity, err)
	}
	return deleted, nil
}

// Read returns what Redis must know of the waiting list of an activity; a load fills it. The units of the offers must
// not be in the stock.
func Read(ctx context.Context, view sqlx.QueryerContext, a *seckill.Activity) (*lua.Waitlist, error) {
	entries, err := offered(ctx, view, a.ID)
	if err != nil {
		return nil, err
	}
	regions, err := waiting(ctx, view, a.ID)
	if err != nil {
		return nil, err
	}
	list := &lua.Waitlist{Waits: map[string]string{}}
	for i := range entries {
		if !entries[i].Pending() { // its request will see that the sale was loaded meanwhile
			list.Offers = append(list.Offers, entries[i].Offer())
		}
	}
	for _, w := range append(drawn(a), regions...) {
		list.Waits[lua.StockField(w.SKU, w.Point)] = w.Entry
	}
	return list, nil
}

// Erase deletes the entries of a user. The Offerer ends their offers in Redis.
func Erase(ctx context.Context, tx *sqlx.Tx, user string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM waitlist WHERE user_id = ?`, user); err != nil {
		return fmt.Errorf("delete the entries of a user in waiting lists: %w", err)
	}
	return nil
}
