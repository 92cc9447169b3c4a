package seckill

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"onrush/lua"
)

const (
	// copyVersion is the version of the copies in Redis. A copy of another version is not read.
	copyVersion = 1
	// copyWithin bounds one read of copies from Redis.
	copyWithin = 300 * time.Millisecond
	// maxCopied bounds how many sales are listed from their copies.
	maxCopied = 500
)

// saleCopy is an activity as Redis keeps it beside its stock, so that an instance that starts while SQL is
// unavailable can sell loaded activities. It may be older than SQL: the scripts decide whether the sale runs,
// by the state in the meta hash.
type saleCopy struct {
	Version int `json:"version"`
	// Revision is the version of the activity. keep_sale.lua finds it behind the version of the copy, and never
	// replaces a newer copy by an older one.
	Revision int64     `json:"revision"`
	Activity *Activity `json:"activity"`
}

// Keep writes a copy of an activity, as SQL has it, to Redis; call it after each load and change. It writes
// no copy of a draft or of a retired activity.
func (ac *ActivityCache) Keep(ctx context.Context, id string) error {
	a, err := ViewActivity(ctx, ac.db, id)
	if err != nil {
		return err
	}
	if a == nil || a.State == Draft || a.RetiredMS > 0 {
		return nil
	}
	data, err := json.Marshal(saleCopy{Version: copyVersion, Revision: a.Version, Activity: a})
	if err != nil {
		return fmt.Errorf("encode activity %s: %w", id, err)
	}
	return ac.lua.KeepSale(ctx, id, a.Version, a.EndsMS, data)
}

// copied reads activities from their copies, in a time of its own.
func (ac *ActivityCache) copied(ctx context.Context, ids []string) (map[string]*Activity, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyWithin) // SQL may have used up the caller's time
	defer cancel()
	return Copied(ctx, ac.lua, ids)
}

// Copied reads activities from their copies in Redis; those without a readable copy are left out.
func Copied(ctx context.Context, scripts *lua.Scripts, ids []string) (map[string]*Activity, error) {
	copies, err := scripts.Sales(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*Activity, len(copies))
	for id, data := range copies {
		var c saleCopy
		if json.Unmarshal(data, &c) == nil && c.Version == copyVersion && c.Activity != nil && c.Activity.ID == id {
			byID[id] = c.Activity
		}
	}
	return byID, nil
}

// copiedBlock builds a block of a list from the copies of sales that have not ended.
func (ac *ActivityCache) copiedBlock(ctx context.Context, state SaleState, n int) (block, error) {
	now := ac.clock.NowMS()
	listing, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyWithin)
	defer cancel()
	ids, err := ac.lua.SaleIDs(listing, now, maxCopied)
	if err != nil {
		return block{}, err
	}
	byID, err := ac.copied(ctx, ids)
	if err != nil {
		return block{}, err
	}
	var running, upcoming []string // in order of their ends
	for _, id := range ids {
		a := byID[id]
		switch {
		case a == nil || a.State != Published:
		case saleState(a, now) == Running && state != Upcoming && state != Ended:
			running = append(running, id)
		case saleState(a, now) == Upcoming && state != Running && state != Ended:
			upcoming = append(upcoming, id)
		}
	}
	slices.SortStableFunc(upcoming, func(x, y string) int { return cmp.Compare(byID[x].StartsMS, byID[y].StartsMS) })
	listed := append(running, upcoming...)
	from := min(n*blockSize, len(listed))
	return block{ids: listed[from:min(from+blockSize, len(listed))], total: int64(len(listed))}, nil
}
