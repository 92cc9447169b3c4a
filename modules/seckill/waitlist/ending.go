package waitlist

import (
	"context"
	"fmt"
	"slices"

	"onrush/lua"
)

// dissolve ends the list of a sale that is over: all offers, all waiting, and all that operators have set aside.
func (r *round) dissolve(ctx context.Context) (done int, err error) {
	if r.list != nil {
		for part := range slices.Chunk(r.list.Offers, lua.MaxWaitlistChanges) {
			if err := r.endNow(ctx, part); err != nil {
				return done, err
			}
			done += len(part)
		}
	}
	return done, r.forget(ctx, true)
}

// forgetPerRun is how many entries a run deletes of a sale, since the lists of all sales wait for it.
const forgetPerRun = 5000

// forget lets nobody wait any more, and deletes the entries of the sale: those that are held only if held is true. Of
// very many, the next run deletes others.
func (r *round) forget(ctx context.Context, held bool) error {
	if r.list != nil {
		if err := r.mark(ctx, nil, nil); err != nil {
			return err
		}
	}
	query := `SELECT ` + Columns + ` FROM waitlist WHERE activity_id = ?`
	if !held {
		query += ` AND held_by = ''`
	}
	for range forgetPerRun / readAtOnce {
		var entries []Entry
		if err := r.DB.Write.SelectContext(ctx, &entries, query+` ORDER BY sku_id, user_id LIMIT ?`, r.id,
			readAtOnce); err != nil {
			return fmt.Errorf("select the waiting list of %s: %w", r.id, err)
		}
		if err := remove(ctx, r.DB, entries); err != nil || len(entries) < readAtOnce {
			return err
		}
	}
	return nil
}

// endNow ends offers before their time.
func (r *round) endNow(ctx context.Context, offers []lua.Offer) error {
	var c lua.WaitlistChange
	for _, o := range offers {
		c.Ends = append(c.Ends, lua.EndOffer{SKU: o.SKU, User: o.User, Entry: o.Entry, Now: true})
	}
	_, err := r.change(ctx, c)
	return err
}

// discard ends the offers that can't be read. Their units are missing from the account, so the audit repairs it.
func (r *round) discard(ctx context.Context) error {
	for part := range slices.Chunk(r.list.Unreadable, lua.MaxWaitlistChanges) {
		if _, err := r.change(ctx, lua.WaitlistChange{Ends: part}); err != nil {
			return err
		}
		for _, o := range part {
			r.Log.ErrorContext(ctx, "discarded an offer that can't be read", "activity_id", r.id, "sku_id", o.SKU,
				"user_id", o.User)
		}
	}
	return nil
}

// end ends offers whose time is over and offers of buyers who left, and deletes the entries whose offers were taken or
// are over. It finds the entries whose offers only Redis has. Without a list, only units that operators have set aside
// stay so.
func (r *round) end(ctx context.Context) (done int, err error) {
	rows := make(map[string]Entry, len(r.offered)) // by id
	for _, e := range r.offered {
		rows[e.ID] = e
	}
	var over []lua.EndOffer
	stands := map[string]bool{}
	for _, o := range r.list.Offers {
		row, told := rows[o.Entry]
		if !told || row.User != o.User { // SQL was read before Redis
			named := row.Held() || o.User == Desk(o.Entry) // or was until a moment ago
			if row, told, err = r.rowOf(ctx, o, named); err != nil {
				return 0, err
			}
		}
		gone := !told || r.lost(&row) || r.a.OfferWithinS == 0 && !row.Held()
		if gone || o.UntilMS <= r.nowMS {
			over = append(over, lua.EndOffer{SKU: o.SKU, User: o.User, Entry: o.Entry, Now: gone})
			continue
		}
		stands[o.Entry] = true
		if row.UntilMS == 0 {
			r.found = append(r.found, row)
		} else if row.User != o.User {
			if _, err := MoveOffer(ctx, r.Lua, r.a, o.User, &row); err != nil {
				return 0, err
			}
		}
	}
	for part := range slices.Chunk(over, lua.MaxWaitlistChanges) {
		ended, err := r.change(ctx, lua.WaitlistChange{Ends: part})
		if err != nil {
			return done, err
		}
		for i, code := range ended.Ended {
			if code == lua.OfferStands { // the clock of this instance is ahead
				stands[part[i].Entry] = true
			} else {
				done++
			}
		}
	}
	if err := r.Faults.After("waitlist_end"); err != nil {
		return done, err
	}
	gone := slices.DeleteFunc(r.offered, func(e Entry) bool {
		return stands[e.ID] || e.Pending() && !r.lost(&e)
	})
	for part := range slices.Chunk(gone, lua.MaxWaitlistChanges) {
		if err := remove(ctx, r.DB, part); err != nil {
			return done, err
		}
	}
	return done, nil
}

// rowOf reads the entry of an offer that was not in SQL when the round began, or was of another user. named is
// whether the entry may be of another user now.
func (r *round) rowOf(ctx context.Context, o lua.Offer, named bool) (row Entry, told bool, err error) {
	found, err := OfUser(ctx, r.DB.Write, r.id, o.SKU, o.User)
	if found != nil && found.ID != o.Entry {
		found = nil
	}
	if err == nil && found == nil && named {
		found, err = HoldByID(ctx, r.DB.Write, r.id, o.Entry)
	}
	if err != nil || found == nil {
		return Entry{}, false, err
	}
	return *found, true, nil
}

// pendingMS is how long an entry may be pending: longer than any request lasts.
const pendingMS = 120_000

// lost reports whether an entry is pending whose request must have failed.
func (r *round) lost(e *Entry) bool { return e.Pending() && r.nowMS-e.JoinedMS > pendingMS }
