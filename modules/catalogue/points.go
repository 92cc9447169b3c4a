package catalogue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
)

// Point returns a stock point; if it doesn't exist, the error is not_found. Point 0 always exists.
func (c *Catalogue) Point(ctx context.Context, id string) (Point, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return Point{}, err
	}
	p, ok := set.point(id)
	if !ok {
		return Point{}, problem.NotFound("stock point")
	}
	return p, nil
}

// ForgetPoints makes the next reader read the stock points.
func (c *Catalogue) ForgetPoints() { c.points.Forget(allPoints) }

// SamePoints reports whether the stock points still have a version, which then stays theirs until the transaction ends.
func SamePoints(ctx context.Context, tx *sqlx.Tx, version int64) (bool, error) {
	// SQLite, whose transactions have the write lock, takes the lock for a comment.
	is, err := pointsVersion(ctx, tx, ` /*! LOCK IN SHARE MODE */`)
	return is == version, err
}

// pointsVersion reads the version of all stock points.
func pointsVersion(ctx context.Context, q sqlx.QueryerContext, lock string) (version int64, err error) {
	const query = `SELECT version FROM stock_points_head WHERE id = 1`
	if err := sqlx.GetContext(ctx, q, &version, query+lock); err != nil {
		return 0, fmt.Errorf("select the version of the stock points: %w", err)
	}
	return version, nil
}

// raisePoints raises the version of all stock points in the transaction that changes one.
func raisePoints(ctx context.Context, tx *sqlx.Tx) error {
	if _, err := tx.ExecContext(ctx, `UPDATE stock_points_head SET version = version + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("raise the version of the stock points: %w", err)
	}
	return nil
}

// Point is a stock point, which serves regions. Buyers may collect goods there if Pickup is true.
// FreightExtra is added to the freight of orders that are sent from it. Address and Hours say where the point is and
// when it is open; both are optional texts for buyers.
type Point struct {
	ID           string   `json:"point_id"`
	Name         string   `json:"name"`
	Regions      []string `json:"regions"`
	FreightExtra int64    `json:"freight_extra"`
	Pickup       bool     `json:"pickup"`
	Address      string   `json:"address,omitempty"`
	Hours        string   `json:"hours,omitempty"`
	Version      int64    `json:"version" validate:"min=0"` // increases with each change
}

func (c *Catalogue) pointSet(ctx context.Context) (*pointSet, error) {
	set, _, err := c.points.Get(ctx, allPoints)
	return set, err
}

// pointSet has all stock points; all lists are in ascending order.
type pointSet struct {
	version  int64
	ids      []string
	byPickup map[bool][]string
	byID     map[string]Point
	regions  []string          // as they are shown
	claims   map[string]*Claim // by regionKey
}

// point returns a point; point 0 always exists.
func (set *pointSet) point(id string) (Point, bool) {
	p, ok := set.byID[id]
	if !ok && id == DefaultPoint {
		return Point{ID: DefaultPoint, Regions: []string{}}, true
	}
	return p, ok
}

// shown returns a region in the spelling of the stock points, if they serve it.
func (set *pointSet) shown(region string) string {
	if claim := set.claims[regionKey(region)]; claim != nil {
		return claim.Region
	}
	return regionName(region)
}

const allPoints = "all"
