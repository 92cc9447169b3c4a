package eligible

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onrush/lua"
	"onrush/modules/bounded"
	"onrush/modules/sqldb"
)

const (
	// pageRows is how many users one statement reads.
	pageRows = 5000
	// maxLists bounds the sales whose lists one run looks at.
	maxLists = 1000
	// keptFor is how long after the end of a sale Redis keeps its list.
	keptFor = 24 * time.Hour
)

// Filler copies the lists of buyers from SQL to Redis.
type Filler struct {
	db  *sqldb.DB
	lua *lua.Scripts
	// last is up to which version this instance has filled the list of an activity.
	last *bounded.Map[string, lua.BuyerList]
}

// NewFiller returns a Filler.
func NewFiller(db *sqldb.DB, scripts *lua.Scripts) *Filler {
	return &Filler{db: db, lua: scripts, last: bounded.New[string, lua.BuyerList](maxLists)}
}

// listRow is a list in SQL.
type listRow struct {
	Activity string   `db:"activity_id"`
	Lane     int      `db:"lane"`
	EndsMS   int64    `db:"ends_ms"`
	Listed   int64    `db:"listed"`
	From     int64    `db:"listed_from"`
	Eligible Settings `db:"eligibility"`

	Reserved ReservedFor `db:"reserved_for"`
}

// RunOnce fills the lists that Redis lacks, of sales that have not ended, and returns how many it filled. Two instances
// may run it at once.
func (f *Filler) RunOnce(ctx context.Context) (filled int, err error) {
	now, err := f.db.NowMS(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the time of SQL: %w", err)
	}
	var rows []listRow
	const query = `SELECT activity_id, lane, ends_ms, listed, listed_from, eligibility, reserved_for FROM activities
		WHERE state = 'published' AND ends_ms > ? AND listed > listed_from ORDER BY starts_ms, activity_id LIMIT ?`
	if err := f.db.Read.SelectContext(ctx, &rows, query, now, maxLists); err != nil {
		return 0, fmt.Errorf("select the lists of buyers: %w", err)
	}
	var failed error
	for i := range rows {
		if !rows[i].Eligible.List && !rows[i].Reserved.List {
			continue
		}
		done, err := f.fill(ctx, &rows[i])
		failed = errors.Join(failed, err)
		if done {
			filled++
		}
	}
	return filled, failed
}

// fill fills a list, unless Redis has all of it. It adds only new users to what this instance has filled before and
// Redis still has.
func (f *Filler) fill(ctx context.Context, r *listRow) (filled bool, err error) {
	to := lua.BuyerList{Lane: r.Lane, Activity: r.Activity, Start: r.From, Version: r.Listed}
	if _, complete, err := f.lua.Listed(ctx, to, nil); err != nil || complete {
		return false, err
	}
	expires := r.EndsMS + keptFor.Milliseconds()
	from, known := f.last.Get(r.Activity)
	if known && from.Start == to.Start {
		_, known, err = f.lua.Listed(ctx, from, nil)
	}
	if !known || from.Start != to.Start {
		from = lua.BuyerList{Version: to.Start}
		err = f.lua.BeginBuyers(ctx, to, expires)
	}
	if err != nil {
		return false, err
	}
	ok, err := f.pages(ctx, to, from.Version, expires)
	if err == nil && ok {
		ok, err = f.lua.CompleteBuyers(ctx, to, expires)
	}
	if err == nil && ok {
		f.last.Set(r.Activity, to)
	}
	return ok, err
}

// pages adds the users whose versions are above a version, and at most the list's.
func (f *Filler) pages(ctx context.Context, to lua.BuyerList, above, expiresMS int64) (ok bool, err error) {
	const query = `SELECT user_id, version FROM sale_buyers WHERE activity_id = ?
		AND (version > ? OR (version = ? AND user_id > ?)) AND version <= ? ORDER BY version, user_id LIMIT ?`
	for at, user := int64(-1), ""; ; { // no row has the version -1
		var page []struct {
			User    string `db:"user_id"`
			Version int64  `db:"version"`
		}
		if err := f.db.Read.SelectContext(ctx, &page, query, to.Activity, above, at, user, to.Version,
			pageRows); err != nil {
			return false, fmt.Errorf("select the buyers of %s: %w", to.Activity, err)
		}
		if len(page) == 0 {
			return true, nil
		}
		users := make([]string, len(page))
		for i := range page {
			users[i] = page[i].User
		}
		if ok, err := f.lua.AddBuyers(ctx, to, expiresMS, users); err != nil || !ok {
			return false, err
		}
		above, user = page[len(page)-1].Version, users[len(users)-1]
		at = above
	}
}
