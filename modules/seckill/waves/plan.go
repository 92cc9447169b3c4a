package waves

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// MaxOfSKU is how many waves a sku may have, over all its stock points.
const MaxOfSKU = 100

// Plan is the waves of a sku, sorted by their times and points. It says which units are open, for lists and offers;
// waves.lua decides the same for an order. SQL and Redis have the same text, which lua.FormatWaves writes.
type Plan []lua.Wave

// Of returns the plan of some waves.
func Of(waves []lua.Wave) Plan {
	p := slices.Clone(waves)
	slices.SortStableFunc(p, func(x, y lua.Wave) int {
		return cmp.Or(cmp.Compare(x.AtMS, y.AtMS), cmp.Compare(x.Point, y.Point))
	})
	return p
}

// Text returns the value of the field of the meta hash.
func (p Plan) Text() string { return lua.FormatWaves(p) }

// Value writes the plan as SQL keeps it.
func (p Plan) Value() (driver.Value, error) { return p.Text(), nil }

// Scan reads what Value writes.
func (p *Plan) Scan(column any) error {
	text, err := sqldb.ScanText(column)
	if err != nil {
		return err
	}
	waves, ok := lua.ParseWaves(text)
	if !ok {
		return fmt.Errorf("waves: %q is no plan", text)
	}
	*p = waves
	return nil
}

// Closed returns how many units at a point ("" means all points) open later than a time.
func (p Plan) Closed(point string, nowMS int64) (units int64) {
	for _, w := range p {
		if w.AtMS > nowMS && (point == "" || w.Point == point) {
			units += w.Quantity
		}
	}
	return units
}

// Open returns how many of the units that are left at a point are open.
func (p Plan) Open(point string, left, nowMS int64) int64 { return max(left-p.Closed(point, nowMS), 0) }

// Next returns when the next wave at a point ("" means any) opens, and how many units open then.
func (p Plan) Next(point string, nowMS int64) (atMS, units int64, planned bool) {
	for _, w := range p {
		switch {
		case w.AtMS <= nowMS || point != "" && w.Point != point:
		case !planned:
			atMS, units, planned = w.AtMS, w.Quantity, true
		case w.AtMS == atMS:
			units += w.Quantity
		}
	}
	return atMS, units, planned
}

// LastMS returns when the last wave opens; 0 without waves.
func (p Plan) LastMS() int64 {
	if len(p) == 0 {
		return 0
	}
	return p[len(p)-1].AtMS
}

// Shifted returns the plan with all waves moved by a time.
func (p Plan) Shifted(ms int64) Plan {
	moved := slices.Clone(p)
	for i := range moved {
		moved[i].AtMS += ms
	}
	return moved
}
