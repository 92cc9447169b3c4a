package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// maxPoints bounds how many stock points there are: they are held in memory whole.
const maxPoints = 10_000

// SKU is one thing that is sold. Price and freight are in minor units of Currency; Stock is what
// ordinary orders may take, apart from what activities sell.
type SKU struct {
	ID       string      `db:"sku_id" json:"sku_id"`
	Title    string      `db:"title" json:"title"`
	Shop     string      `db:"shop_id" json:"shop_id"`
	ImageURL string      `db:"image_url" json:"image_url"`
	Kind     Kind        `db:"kind" json:"kind"`
	Price    int64       `db:"price" json:"price"`
	Currency string      `db:"currency" json:"currency"`
	Stock    int64       `db:"stock" json:"stock"`
	Version  int64       `db:"updated_ms" json:"version"` // rises with each change but those of Stock
	Freight  FreightRule `db:"-" json:"freight"`
}

// FreightRule is what sending a sku costs: Fee, unless the goods of an order come to FreeOver or
// more. FreeOver 0 means that freight is always charged.
type FreightRule struct {
	Fee      int64 `json:"fee"`
	FreeOver int64 `json:"free_over"`
}

// Point is a place that holds stock and serves regions; buyers may fetch goods there if Pickup
// says so. FreightExtra is added to the freight of what is sent from it.
type Point struct {
	ID           string   `json:"point_id"`
	Name         string   `json:"name"`
	Regions      []string `json:"regions"`
	FreightExtra int64    `json:"freight_extra"`
	Pickup       bool     `json:"pickup"`
	Version      int64    `json:"version"` // rises with each change
}

// Catalogue reads skus and stock points from copies at most a second old, so that the hot path
// does without SQL; while SQL is away they may be up to an hour old. Operators write through it.
type Catalogue struct {
	db     *sqldb.DB
	now    func() time.Time
	skus   *sqldb.StaleCache[SKU]
	points *sqldb.StaleCache[*pointSet]
}

// NewCatalogue makes a catalogue over the tables skus and stock_points.
func NewCatalogue(db *sqldb.DB, now func() time.Time) *Catalogue {
	c := &Catalogue{db: db, now: now}
	c.skus = sqldb.NewStaleCache("sku", now, c.loadSKUs)
	c.points = sqldb.NewStaleCache("stock points", now, c.loadPoints)
	return c
}

// Over returns the catalogue with the same copies for callers with connections of their own: what they
// write and list goes through db.
func (c *Catalogue) Over(db *sqldb.DB) *Catalogue {
	own := *c
	own.db = db
	return &own
}

// SKU returns one sku; one that doesn't exist is not_found.
func (c *Catalogue) SKU(ctx context.Context, id string) (SKU, error) {
	skus, err := c.SKUsByID(ctx, []string{id})
	return skus[id], err
}

// SKUsByID returns skus by their ids; one that doesn't exist is not_found.
func (c *Catalogue) SKUsByID(ctx context.Context, ids []string) (map[string]SKU, error) {
	for _, id := range ids {
		if !problem.IsID(id) {
			return nil, problem.NotFound("sku")
		}
	}
	skus, err := c.skus.Many(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, ok := skus[id]; !ok {
			return nil, problem.NotFound("sku")
		}
	}
	return skus, nil
}

// Point returns one stock point; one that doesn't exist is not_found. Point 0 always exists.
func (c *Catalogue) Point(ctx context.Context, id string) (Point, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return Point{}, err
	}
	p, ok := set.byID[id]
	switch {
	case ok:
		return p, nil
	case id == DefaultPoint:
		return Point{ID: DefaultPoint, Regions: []string{}}, nil
	}
	return Point{}, problem.NotFound("stock point")
}

// PointFor returns the point that serves a region, among those for which serves is true (nil
// means all), and whether there is one. If several claim the region, the lowest id wins.
func (c *Catalogue) PointFor(ctx context.Context, region string, serves func(point string) bool) (Point, bool, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return Point{}, false, err
	}
	for _, id := range set.byRegion[region] {
		if serves == nil || serves(id) {
			return set.byID[id], true, nil
		}
	}
	return Point{}, false, nil
}

// pointSet is all stock points; byRegion holds ids in ascending order.
type pointSet struct {
	byID     map[string]Point
	byRegion map[string][]string
}

const allPoints = "all"

func (c *Catalogue) pointSet(ctx context.Context) (*pointSet, error) {
	set, _, err := c.points.One(ctx, allPoints)
	return set, err
}

func (c *Catalogue) loadPoints(ctx context.Context, _ []string) (map[string]*pointSet, error) {
	points, err := selectPoints(ctx, c.db.Read, maxPoints, 0)
	if err != nil {
		return nil, err
	}
	set := &pointSet{byID: make(map[string]Point, len(points)), byRegion: map[string][]string{}}
	for _, p := range points {
		set.byID[p.ID] = p
		for _, region := range p.Regions {
			set.byRegion[region] = append(set.byRegion[region], p.ID)
		}
	}
	for _, ids := range set.byRegion {
		slices.Sort(ids)
	}
	return map[string]*pointSet{allPoints: set}, nil
}

// skuRow is a sku as its table has it.
type skuRow struct {
	SKU
	Fee      int64 `db:"freight_fee"`
	FreeOver int64 `db:"freight_free_over"`
}

const skuColumns = `sku_id, title, shop_id, image_url, kind, price, currency, stock, freight_fee, freight_free_over, updated_ms`

func (r skuRow) sku() SKU {
	r.Freight = FreightRule{Fee: r.Fee, FreeOver: r.FreeOver}
	return r.SKU
}

func (c *Catalogue) loadSKUs(ctx context.Context, ids []string) (map[string]SKU, error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var rows []skuRow
	query := `SELECT ` + skuColumns + ` FROM skus WHERE sku_id IN (` + sqldb.In(len(ids)) + `)`
	if err := sqlx.SelectContext(ctx, c.db.Read, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("select %d skus: %w", len(ids), err)
	}
	skus := make(map[string]SKU, len(rows))
	for _, r := range rows {
		skus[r.ID] = r.sku()
	}
	return skus, nil
}

// pointRow is a stock point as its table has it.
type pointRow struct {
	ID           string `db:"point_id"`
	Name         string `db:"name"`
	Regions      string `db:"regions"`
	FreightExtra int64  `db:"freight_extra"`
	Pickup       bool   `db:"pickup"`
	Version      int64  `db:"updated_ms"`
}

func (r pointRow) point() (Point, error) {
	p := Point{ID: r.ID, Name: r.Name, FreightExtra: r.FreightExtra, Pickup: r.Pickup, Version: r.Version}
	if err := json.Unmarshal([]byte(r.Regions), &p.Regions); err != nil {
		return p, fmt.Errorf("read regions of point %s: %w", r.ID, err)
	}
	return p, nil
}

func selectPoints(ctx context.Context, q sqlx.QueryerContext, limit, offset int) ([]Point, error) {
	var rows []pointRow
	const query = `SELECT point_id, name, regions, freight_extra, pickup, updated_ms FROM stock_points ORDER BY point_id LIMIT ? OFFSET ?`
	if err := sqlx.SelectContext(ctx, q, &rows, query, limit, offset); err != nil {
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
