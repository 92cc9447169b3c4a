package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/journal"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waves"
)

// waveBody is a part of the stock of a sku that buyers may take from a time on.
type waveBody struct {
	Point    string     `json:"point_id" validate:"omitempty,id"` // absent: the default point
	At       api.Millis `json:"at" validate:"required"`
	Quantity int64      `json:"quantity" validate:"required,min=1,max=1000000000"`
}

// wavesBody are waves in any order.
type wavesBody []waveBody

func (b wavesBody) waves() []lua.Wave {
	list := make([]lua.Wave, len(b))
	for i, w := range b {
		list[i] = lua.Wave{Point: w.Point, AtMS: int64(w.At), Quantity: w.Quantity}
		if w.Point == "" {
			list[i].Point = catalogue.DefaultPoint
		}
	}
	return list
}

// sorted returns the waves in the order in which they are stored.
func (b wavesBody) sorted() *wavesBody {
	sorted := showWaves(waves.Of(b.waves()))
	return &sorted
}

func showWaves(p waves.Plan) wavesBody {
	shown := make(wavesBody, len(p))
	for i, w := range p {
		shown[i] = waveBody{Point: w.Point, At: api.Millis(w.AtMS), Quantity: w.Quantity}
	}
	return shown
}

// wavesWithin returns the waves of a sku without the last units of which its stock has too few.
func wavesWithin(g seckill.ActivitySKU) (plan waves.Plan) {
	left := map[string]int64{}
	for _, p := range g.Stock {
		left[p.Point] = p.Total
	}
	for _, w := range g.Waves { // by their times
		w.Quantity = min(w.Quantity, left[w.Point])
		if left[w.Point] -= w.Quantity; w.Quantity > 0 {
			plan = append(plan, w)
		}
	}
	return plan
}

// checkWaves checks the waves of a sku of a draft; field is its name.
func checkWaves(field string, a *seckill.Activity, g seckill.ActivitySKU) error {
	s := waves.Sale{StartsMS: a.StartsMS, EndsMS: a.EndsMS, Units: map[string]int64{}}
	for _, p := range g.Stock {
		s.Units[p.Point] = p.Total
	}
	var checks problem.Checks
	waves.Check(&checks, field+".waves", g.Waves, s)
	return checks.Err()
}

// readLeft notes in a change of waves how many units Redis has left of each sku at each point. Units that buyers take
// or give back until the change is made are not seen: a wave that is then larger than the units left opens with the
// units left.
func (as *Activities) readLeft(ctx context.Context, id string, c *Change) {
	changes := false
	for _, s := range c.SKUs {
		changes = changes || s.Waves != nil
	}
	if !changes {
		return
	}
	a, err := as.Get(ctx, id)
	if err != nil || a.Lane == 0 {
		return
	}
	texts, err := as.lua.Redis.HGetAll(ctx, as.lua.Keys.Stock(a.Lane, id)).Result()
	if err != nil || len(texts) == 0 {
		return
	}
	if left, err := lua.ParseCounts(texts); err == nil {
		c.Left = left
	}
}

// changeWaves changes the waves of a sku of a published sale; field is its name.
func (as *Activities) changeWaves(
	checks *problem.Checks, field string, a *seckill.Activity, g *seckill.ActivitySKU, to *[]lua.Wave, c *Change,
) {
	if to == nil {
		return
	}
	s := waves.Sale{StartsMS: a.StartsMS, EndsMS: a.EndsMS, Units: map[string]int64{}}
	set(&s.StartsMS, c.StartsMS)
	set(&s.EndsMS, c.EndsMS)
	for i, p := range c.stockOf(g) {
		s.Units[p.Point] = p.Total - p.Sold
		if c.Left != nil {
			raise := p.Total - g.Stock[i].Total
			s.Units[p.Point] = min(s.Units[p.Point], c.Left[lua.StockField(g.SKU, p.Point)]+raise)
		}
	}
	g.Waves = g.Waves.Change(checks, field+".waves", *to, s, as.clock.NowMS(), nowWithin)
}

// need adds to a published sale what its fields need, and refuses that while an instance runs that lacks it.
func (as *Activities) need(ctx context.Context, a *seckill.Activity) error {
	had := a.Needs
	if a.Needs = had.With(a.Using()...); a.Needs == had {
		return nil
	}
	return needs.Check(ctx, as.fleet, a.Needs)
}

// wave notes which units of a stock open later.
func (s *StockStats) wave(p waves.Plan, nowMS int64) {
	s.Closed = p.Closed(s.Point, nowMS)
	if at, _, planned := p.Next(s.Point, nowMS); planned {
		s.NextWaveAt = api.Millis(at)
	}
}

// announceWaves does what Announce does for sales with waves that open later, where SQL can't tell which units are
// open: it writes an event when all units that are open are sold.
func (as *Activities) announceWaves(ctx context.Context, nowMS int64) (written int, err error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var ids []string
	const running = `SELECT activity_id FROM activities WHERE state = 'published' AND announced = ? AND last_wave_ms > ?
		AND activity_id > ? ORDER BY activity_id LIMIT ?`
	if err := as.db.Read.SelectContext(ctx, &ids, running, announcedStart, nowMS, as.afterWaves,
		announcePage); err != nil {
		return 0, fmt.Errorf("select sales with waves: %w", err)
	}
	as.afterWaves = ""
	if len(ids) == announcePage {
		as.afterWaves = ids[len(ids)-1]
	}
	var failed error
	for _, id := range ids {
		if as.db.Busy.Skips(rowOf(id)) {
			continue
		}
		due := false
		err := as.db.InView(ctx, func(tx *sqlx.Tx) error {
			a, err := seckill.SelectActivity(ctx, tx, id)
			if err == nil && a != nil {
				_, due, err = openChanged(ctx, tx, a, nowMS)
			}
			return err
		})
		if err == nil && due {
			var won bool
			err = as.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
				won, err = announceOpen(ctx, tx, id, nowMS)
				return err
			})
			as.db.Busy.Note(rowOf(id), err)
			if err == nil && won {
				written++
			}
		}
		if err != nil { // one sale doesn't hold up the others
			failed = errors.Join(failed, fmt.Errorf("announce activity %s: %w", id, err))
		}
	}
	return written, failed
}

// openChanged reports whether SQL has open units of a sale that are not sold, and whether that differs from what was
// noted last.
func openChanged(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity, nowMS int64) (open, changed bool, err error) {
	var soldOut bool
	if err := tx.GetContext(ctx, &soldOut, `SELECT sold_out FROM activities WHERE activity_id = ?`, a.ID); err != nil {
		return false, false, fmt.Errorf("select whether %s was sold out: %w", a.ID, err)
	}
	open = openLeft(a, nowMS)
	return open, open == soldOut, nil
}

// announceOpen notes in SQL whether all open units of a sale are sold, and reports whether it wrote the event.
func announceOpen(ctx context.Context, tx *sqlx.Tx, id string, nowMS int64) (bool, error) {
	a, err := lockActivity(ctx, tx, id)
	if err != nil || a == nil || a.State != seckill.Published {
		return false, err
	}
	open, changed, err := openChanged(ctx, tx, a, nowMS)
	if err != nil || !changed {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE activities SET sold_out = ? WHERE activity_id = ?`, !open,
		id); err != nil {
		return false, fmt.Errorf("record the announcement: %w", err)
	}
	if open {
		return false, nil
	}
	return true, writeActivityEvent(ctx, tx, journal.ActivitySoldOut, id,
		func(*seckill.Activity) int64 { return nowMS })
}

// openLeft reports whether SQL has open units of a sale that are not sold.
func openLeft(a *seckill.Activity, nowMS int64) bool {
	for _, g := range a.SKUs {
		for _, p := range g.Stock {
			if g.Waves.Open(p.Point, p.Total-p.Sold, nowMS) > 0 {
				return true
			}
		}
	}
	return false
}

// planned checks the waves of a sale against its times, which may have been changed since.
func planned(a *seckill.Activity) (found []Finding) {
	for _, g := range a.SKUs {
		for _, w := range g.Waves {
			if w.AtMS >= a.EndsMS {
				found = append(found, Finding{
					Check: "waves", Level: Warning, SKU: g.SKU, Point: w.Point,
					Detail: fmt.Sprintf("the sale ends before the wave of %d units at %s, which are not sold",
						w.Quantity, api.FormatMS(w.AtMS)),
				})
			}
		}
	}
	if len(found) == 0 && a.LastWave() > 0 {
		found = append(found, Finding{
			Check: "waves", Level: OK, Detail: "the last wave opens at " + api.FormatMS(a.LastWave()),
		})
	}
	return found
}

// instances says whether all instances can sell the sale.
func (c *Checker) instances(ctx context.Context, a *seckill.Activity) []Finding {
	uses := a.Needs.With(a.Using()...)
	if uses == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askRedisWithin)
	defer cancel()
	lacking, err := needs.Lacking(ctx, c.fleet, uses)
	f := Finding{Check: "instances", Level: OK, Detail: "all instances can sell it"}
	switch {
	case err != nil:
		f.Level, f.Detail = Warning, "could not be checked: Redis can't be asked right now"
	case lacking != "":
		f.Level, f.Detail = Failure, lacking
	}
	return []Finding{f}
}
