package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// maxPoints bounds the stock points, since all of them are kept in memory.
const maxPoints = 10_000

// SKU is a stock keeping unit. Price and freight are in minor units of Currency. Stock is the number of
// units for ordinary orders; activities have their own stock.
type SKU struct {
	ID       string `db:"sku_id" json:"sku_id"`
	Title    string `db:"title" json:"title"`
	Shop     string `db:"shop_id" json:"shop_id"`
	ImageURL string `db:"image_url" json:"image_url"`
	// Description is plain text with line breaks.
	Description string `db:"description" json:"description"`

	Kind     Kind        `db:"kind" json:"kind"`
	Price    int64       `db:"price" json:"price"`
	Currency string      `db:"currency" json:"currency"`
	Stock    int64       `db:"stock" json:"stock"`
	Version  int64       `db:"updated_ms" json:"version"` // increases with each change except of Stock
	Freight  FreightRule `db:"-" json:"freight"`

	// RequiredFields are fields that each order of the sku must have.
	RequiredFields FieldNames `db:"required_fields" json:"required_fields,omitempty"`

	StockVersion int64 `db:"stock_version" json:"stock_version"` // counts the changes of Stock, by orders too
}

// FreightRule is the cost of sending a sku: Fee, or nothing if the goods of the order cost FreeOver or
// more. FreeOver 0 means that freight is always charged.
type FreightRule struct {
	Fee      int64 `json:"fee"`
	FreeOver int64 `json:"free_over"`
}

// Catalogue reads skus and stock points from copies that are at most a second old, so that the hot
// path doesn't query SQL; while SQL is unavailable they may be up to an hour old. Operators change skus
// and points through it.
type Catalogue struct {
	db     *sqldb.DB
	now    func() time.Time
	skus   *aged.Keyed[SKU]
	lists  *aged.Keyed[[]string] // of the ids of skus, by shop and cursor
	points *aged.Keyed[*pointSet]
}

// NewCatalogue returns the catalogue of the tables skus and stock_points.
func NewCatalogue(db *sqldb.DB, now func() time.Time) *Catalogue {
	c := &Catalogue{db: db, now: now}
	c.skus = aged.NewKeyed("sku", now, c.loadSKUs)
	c.lists = aged.NewKeyed("list of skus", now, c.loadLists)
	c.points = aged.NewKeyed("stock points", now, c.loadPoints)
	return c
}

// Over returns a catalogue that shares the copies of c but writes and lists through db, for callers with
// their own connections.
func (c *Catalogue) Over(db *sqldb.DB) *Catalogue {
	own := *c
	own.db = db
	return &own
}

// SKU returns a sku; if it doesn't exist, the error is not_found.
func (c *Catalogue) SKU(ctx context.Context, id string) (SKU, error) {
	if !ids.Valid(id) {
		return SKU{}, problem.NotFound("sku")
	}
	skus, err := c.skus.GetAll(ctx, []string{id})
	if err != nil {
		return SKU{}, err
	}
	sku, ok := skus[id]
	if !ok {
		return SKU{}, problem.NotFound("sku")
	}
	return sku, nil
}

// ForgetSKUs makes the next reader of skus read them.
func (c *Catalogue) ForgetSKUs(ids []string) {
	for _, id := range ids {
		c.skus.Forget(id)
	}
}

// KnownSKUs returns the skus that exist, by their ids.
func (c *Catalogue) KnownSKUs(ctx context.Context, ids []string) (map[string]SKU, error) {
	return c.skus.GetAll(ctx, ids)
}

func (c *Catalogue) loadPoints(ctx context.Context, _ []string) (map[string]*pointSet, error) {
	version, err := pointsVersion(ctx, c.db.Read, "") // first, so that it is no newer than the points
	if err != nil {
		return nil, err
	}
	points, err := selectPoints(ctx, c.db.Read, sqldb.Where{}, maxPoints, 0)
	if err != nil {
		return nil, err
	}
	set := &pointSet{
		version: version, byPickup: map[bool][]string{}, byID: make(map[string]Point, len(points)),
		claims: map[string]*Claim{},
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.ID, b.ID) }) // byte by byte, whatever SQL does
	for _, p := range points {
		set.byID[p.ID], set.ids = p, append(set.ids, p.ID)
		set.byPickup[p.Pickup] = append(set.byPickup[p.Pickup], p.ID)
		for _, region := range p.Regions {
			key := regionKey(region)
			if set.claims[key] == nil {
				set.claims[key] = &Claim{Region: region}
				set.regions = append(set.regions, region)
			}
			set.claims[key].Points = append(set.claims[key].Points, p.ID)
		}
	}
	slices.Sort(set.regions)
	return map[string]*pointSet{allPoints: set}, nil
}

// skuRow is a row of skus.
type skuRow struct {
	SKU
	Fee      int64 `db:"freight_fee"`
	FreeOver int64 `db:"freight_free_over"`
}

const skuColumns = `sku_id, title, shop_id, image_url, description, kind, price, currency, stock, stock_version,
	freight_fee, freight_free_over, required_fields, updated_ms`

func (r skuRow) sku() SKU {
	r.Freight = FreightRule{Fee: r.Fee, FreeOver: r.FreeOver}
	return r.SKU
}

func (c *Catalogue) loadSKUs(ctx context.Context, ids []string) (map[string]SKU, error) {
	var rows []skuRow
	query := `SELECT ` + skuColumns + ` FROM skus WHERE sku_id IN (` + sqldb.In(len(ids)) + `)`
	if err := sqlx.SelectContext(ctx, c.db.Read, &rows, query, sqldb.Args(ids)...); err != nil {
		return nil, fmt.Errorf("select %d skus: %w", len(ids), err)
	}
	skus := make(map[string]SKU, len(rows))
	for _, r := range rows {
		skus[r.ID] = r.sku()
	}
	return skus, nil
}

// pointRow is a row of stock_points.
type pointRow struct {
	ID           string `db:"point_id"`
	Name         string `db:"name"`
	Regions      string `db:"regions"`
	FreightExtra int64  `db:"freight_extra"`
	Pickup       bool   `db:"pickup"`
	Address      string `db:"address"`
	Hours        string `db:"hours"`
	Version      int64  `db:"updated_ms"`
}

func (r pointRow) point() (Point, error) {
	p := Point{
		ID: r.ID, Name: r.Name, FreightExtra: r.FreightExtra, Pickup: r.Pickup, Address: r.Address, Hours: r.Hours,
		Version: r.Version,
	}
	if err := json.Unmarshal([]byte(r.Regions), &p.Regions); err != nil {
		return p, fmt.Errorf("read regions of point %s: %w", r.ID, err)
	}
	p.Regions = distinctRegions(p.Regions)
	return p, nil
}

func selectPoints(
	ctx context.Context, q sqlx.QueryerContext, where sqldb.Where, limit, offset int,
) ([]Point, error) {
	var rows []pointRow
	query := `SELECT point_id, name, regions, freight_extra, pickup, address, hours, updated_ms
		FROM stock_points` + where.String() + ` ORDER BY point_id LIMIT ? OFFSET ?`
	if err := sqlx.SelectContext(ctx, q, &rows, query, where.Args(limit, offset)...); err != nil {
		return nil, fmt.Errorf("select stock points: %w", err)
	}
	points := make([]Point, len(rows))
	for i, r := range rows {
		p, err := r.point()
		if err != nil {
			return nil, err
		}
		points[i] = p
	}
	return points, nil
}
