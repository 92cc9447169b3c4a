package catalogue

import (
	"context"

	"onrush/modules/problem"
)

// PointFor returns the point that serves a region, among those for which serves returns true (nil
// means all), and whether there is one. Of several such points it returns the one with the lowest id. Regions that
// differ only in case, spaces or width are one.
func (c *Catalogue) PointFor(ctx context.Context, region string, serves func(point string) bool) (Point, bool, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return Point{}, false, err
	}
	if claim := set.claims[regionKey(region)]; claim != nil {
		for _, id := range claim.Points {
			if serves == nil || serves(id) {
				return set.byID[id], true, nil
			}
		}
	}
	return Point{}, false, nil
}

// Point returns a stock point; if it doesn't exist, the error is not_found. Point 0 always exists.
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
	ids      []string
	byPickup map[bool][]string
	byID     map[string]Point
	regions  []string          // as they are shown
	claims   map[string]*Claim // by regionKey
}

const allPoints = "all"
