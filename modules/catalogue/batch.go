package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// batchTries bounds how often a batch is tried after another request has inserted one of its rows.
const batchTries = 10

// line is one row of a batch: its place in the request, and what it replaces.
type line[T any] struct {
	at     int
	value  T
	before *T
}

// linesOf checks the lines of a batch and returns them by id, in which order the rows are locked. Problems name the
// lines as items[0], items[1].
func linesOf[T any](values []T, check func(T) error, id func(T) string, field string) ([]line[T], error) {
	lines := make([]line[T], len(values))
	seen := make(map[string]bool, len(values))
	var wrong problem.Checks
	for i, v := range values {
		at := fmt.Sprintf("items[%d].", i)
		var e *problem.Error
		if errors.As(check(v), &e) {
			for _, f := range e.Fields {
				wrong.That(false, at+f.Name, "%s", f.Detail)
			}
		}
		wrong.That(!seen[id(v)], at+field, "is given twice")
		seen[id(v)] = true
		lines[i] = line[T]{at: i, value: v}
		if len(wrong) >= problem.MaxFields {
			break
		}
	}
	if len(wrong) > 0 {
		return nil, problem.InvalidFields(wrong)
	}
	slices.SortFunc(lines, func(a, b line[T]) int { return cmp.Compare(id(a.value), id(b.value)) })
	return lines, nil
}

// checkLine is oplog.Check of a line, which the problem names.
func checkLine(ctx context.Context, tx *sqlx.Tx, at int, on string, want, is int64) error {
	return ofLine(oplog.Check(ctx, tx, on, want, is), at)
}

// ofLine names the line in the problem of its version.
func ofLine(err error, at int) error {
	var e *problem.Error
	if !errors.As(err, &e) {
		return err
	}
	field := fmt.Sprintf("items[%d].version", at)
	return &problem.Error{
		Code: e.Code, Detail: fmt.Sprintf("items[%d]: %s", at, e.Detail), Stale: e.Stale,
		Fields: []problem.Field{{Name: field, Detail: e.Detail}},
	}
}

// inBatch runs fn in a transaction, and runs it again if another transaction has inserted one of its rows. Only a few
// batches run at once: their transactions are long, and touch the same rows if a file is sent twice.
func (c *Catalogue) inBatch(ctx context.Context, key string, fn func(tx *sqlx.Tx) error) error {
	return c.db.Share(ctx, []string{key}, func() error {
		for range batchTries {
			if err := c.db.InTx(ctx, fn); !sqldb.IsDuplicate(err) {
				return err
			}
		}
		return problem.Errorf(problem.CodeConflict, "Other requests are inserting the same rows; try again.")
	})
}

// PutSKUs creates or replaces skus, all or none, and returns the stored ones in the same order. Each is treated as by
// PutSKU; an error names the lines.
func (c *Catalogue) PutSKUs(ctx context.Context, skus []SKU) ([]SKU, error) {
	lines, err := linesOf(skus, SKU.check, func(s SKU) string { return s.ID }, "sku_id")
	if err != nil {
		return nil, err
	}
	for i, s := range skus {
		if err := checkShop(ctx, s.Shop, fmt.Sprintf("items[%d].shop_id", i)); err != nil {
			return nil, err
		}
	}
	var stored []SKU
	err = c.inBatch(ctx, "batch of skus", func(tx *sqlx.Tx) error {
		lines := slices.Clone(lines)
		if err := lockSKUs(ctx, tx, lines, "belongs to another shop"); err != nil {
			return err
		}
		stored, err = c.putSKULines(ctx, tx, lines)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, s := range stored {
		c.skus.Forget(s.ID)
	}
	return stored, nil
}

// lockSKUs locks the skus that exist, in the order of their ids, and reads them into the lines. If one is of another
// shop than that to which the request is confined, the error names its line and says refusal.
func lockSKUs(ctx context.Context, tx *sqlx.Tx, lines []line[SKU], refusal string) error {
	at := make(map[string]int, len(lines))
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i], at[l.value.ID] = l.value.ID, i
	}
	in := ` WHERE sku_id IN (` + sqldb.In(len(ids)) + `)`
	// The index has the ids in ascending order, and so the statement locks them.
	if _, err := tx.ExecContext(ctx, `UPDATE skus SET updated_ms = updated_ms`+in, sqldb.Args(ids)...); err != nil {
		return fmt.Errorf("lock %d skus: %w", len(ids), err)
	}
	var rows []skuRow
	if err := tx.SelectContext(ctx, &rows, `SELECT `+skuColumns+` FROM skus`+in, sqldb.Args(ids)...); err != nil {
		return fmt.Errorf("select %d skus: %w", len(ids), err)
	}
	for _, r := range rows {
		sku := r.sku()
		if api.Outside(ctx, sku.Shop) {
			return problem.Invalid(fmt.Sprintf("items[%d].sku_id", lines[at[sku.ID]].at), "%s", refusal)
		}
		lines[at[sku.ID]].before = &sku
	}
	return nil
}

// putSKULines writes lines whose rows are locked, and records them.
func (c *Catalogue) putSKULines(ctx context.Context, tx *sqlx.Tx, lines []line[SKU]) ([]SKU, error) {
	const update = `UPDATE skus SET shop_id = ?, title = ?, image_url = ?, description = ?, kind = ?, price = ?,
		currency = ?, freight_fee = ?, freight_free_over = ?, required_fields = ?, updated_ms = ? WHERE sku_id = ?`
	const insert = `INSERT INTO skus (shop_id, title, image_url, description, kind, price, currency, stock, freight_fee,
		freight_free_over, required_fields, updated_ms, sku_id) VALUES`
	now := c.now().UnixMilli()
	stored := make([]SKU, len(lines))
	made := make([]oplog.Entry, 0, len(lines))
	var args []any
	for _, l := range lines {
		s, is := l.value, int64(0)
		if l.before != nil {
			is = l.before.Version
		}
		if err := checkLine(ctx, tx, l.at, "sku:"+s.ID, s.Version, is); err != nil {
			return nil, err
		}
		if l.before == nil {
			s.Version, s.StockVersion = now, 1
			args = append(args, s.Shop, s.Title, s.ImageURL, s.Description, s.Kind, s.Price, s.Currency, s.Stock,
				s.Freight.Fee, s.Freight.FreeOver, s.RequiredFields, now, s.ID)
		} else {
			s.Version = nextVersion(l.before.Version, now)
			s.Stock, s.StockVersion = l.before.Stock, l.before.StockVersion
			if err := releaseIfOther(ctx, tx, l.before, s); err != nil {
				return nil, err
			}
			if _, err := tx.ExecContext(ctx, update, s.Shop, s.Title, s.ImageURL, s.Description, s.Kind, s.Price,
				s.Currency, s.Freight.Fee, s.Freight.FreeOver, s.RequiredFields, s.Version, s.ID); err != nil {
				return nil, fmt.Errorf("update sku %s: %w", s.ID, err)
			}
		}
		stored[l.at] = s
		made = append(made, changeOfSKU(l.before, &s))
	}
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,?,?,?,?,?,?,?,?,?,?)", args); err != nil {
		return nil, fmt.Errorf("insert %d skus: %w", len(lines), err)
	}
	return stored, oplog.Record(ctx, tx, made...)
}

// PutPoints creates or replaces stock points, all or none, and returns the stored ones in the same order. Each is
// treated as by PutPoint; an error names the lines.
func (c *Catalogue) PutPoints(ctx context.Context, points []Point) ([]Point, error) {
	points = slices.Clone(points)
	for i := range points {
		points[i].Regions = regionNames(points[i].Regions)
	}
	lines, err := linesOf(points, Point.check, func(p Point) string { return p.ID }, "point_id")
	if err != nil {
		return nil, err
	}
	var stored []Point
	err = c.inBatch(ctx, "batch of points", func(tx *sqlx.Tx) error {
		lines := slices.Clone(lines)
		if err := lockPoints(ctx, tx, lines); err != nil {
			return err
		}
		stored, err = c.putPointLines(ctx, tx, lines)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.points.Forget(allPoints)
	return stored, nil
}

// lockPoints locks the points that exist, in the order of their ids, and reads them into the lines.
func lockPoints(ctx context.Context, tx *sqlx.Tx, lines []line[Point]) error {
	at := make(map[string]int, len(lines))
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i], at[l.value.ID] = l.value.ID, i
	}
	in := `point_id IN (` + sqldb.In(len(ids)) + `)`
	if _, err := tx.ExecContext(ctx, `UPDATE stock_points SET updated_ms = updated_ms WHERE `+in,
		sqldb.Args(ids)...); err != nil {
		return fmt.Errorf("lock %d stock points: %w", len(ids), err)
	}
	var w sqldb.Where
	w.And(in, sqldb.Args(ids)...)
	points, err := selectPoints(ctx, tx, w, len(ids), 0)
	for _, p := range points {
		lines[at[p.ID]].before = &p
	}
	return err
}

// putPointLines writes lines whose rows are locked, and records them.
func (c *Catalogue) putPointLines(ctx context.Context, tx *sqlx.Tx, lines []line[Point]) ([]Point, error) {
	const update = `UPDATE stock_points SET name = ?, regions = ?, freight_extra = ?, pickup = ?, address = ?,
		hours = ?, updated_ms = ? WHERE point_id = ?`
	const insert = `INSERT INTO stock_points (name, regions, freight_extra, pickup, address, hours, updated_ms,
		point_id) VALUES`
	now := c.now().UnixMilli()
	stored := make([]Point, len(lines))
	made := make([]oplog.Entry, 0, len(lines))
	added := 0
	var args []any
	for _, l := range lines {
		p, is := l.value, int64(0)
		if l.before != nil {
			is = l.before.Version
		}
		if err := checkLine(ctx, tx, l.at, "point:"+p.ID, p.Version, is); err != nil {
			return nil, err
		}
		regions, err := json.Marshal(p.Regions)
		if err != nil {
			return nil, fmt.Errorf("write regions of point %s: %w", p.ID, err)
		}
		if l.before == nil {
			p.Version = now
			args = append(args, p.Name, string(regions), p.FreightExtra, flag(p.Pickup), p.Address, p.Hours, now, p.ID)
			added++
		} else {
			p.Version = nextVersion(l.before.Version, now)
			if _, err := tx.ExecContext(ctx, update, p.Name, string(regions), p.FreightExtra, flag(p.Pickup),
				p.Address, p.Hours, p.Version, p.ID); err != nil {
				return nil, fmt.Errorf("update stock point %s: %w", p.ID, err)
			}
		}
		stored[l.at] = p
		made = append(made, changeOfPoint(l.before, &p))
	}
	if err := checkRoom(ctx, tx, added); err != nil {
		return nil, err
	}
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,?,?,?,?,?)", args); err != nil {
		return nil, fmt.Errorf("insert %d stock points: %w", len(lines), err)
	}
	if err := raisePoints(ctx, tx); err != nil {
		return nil, err
	}
	return stored, oplog.Record(ctx, tx, made...)
}

// checkRoom refuses new stock points if there would be too many.
func checkRoom(ctx context.Context, tx *sqlx.Tx, more int) error {
	if more == 0 {
		return nil
	}
	var n int
	if err := tx.GetContext(ctx, &n, `SELECT COUNT(*) FROM stock_points`); err != nil {
		return fmt.Errorf("count stock points: %w", err)
	}
	if n+more > maxPoints {
		return problem.Errorf(problem.CodeConflict, "There are %d stock points already.", n)
	}
	return nil
}
