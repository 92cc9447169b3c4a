package catalogue

import (
	"fmt"
	"unicode/utf8"

	"onrush/modules/ids"
	"onrush/modules/problem"
)

// maxMoney bounds every price and fee in minor units.
const maxMoney = 1_000_000_000_000

// maxStock bounds the ordinary stock of a sku.
const maxStock = 1_000_000_000_000

// maxDescription bounds the description of a sku, in characters.
const maxDescription = 2000

func (s SKU) check() error {
	var c problem.Checks
	c.That(ids.Valid(s.ID), "sku_id", ids.Rule)
	c.Text("title", s.Title, 1, 200)
	c.That(ids.Valid(s.Shop), "shop_id", ids.Rule)
	c.Text("image_url", s.ImageURL, 0, 500)
	c.That(utf8.RuneCountInString(s.Description) <= maxDescription, "description", "must have at most %d characters",
		maxDescription)
	c.That(problem.IsText(s.Description), "description",
		"must not contain control characters besides line breaks and tabs")
	c.That(s.Kind == Physical || s.Kind == Virtual || s.Kind == Voucher, "kind",
		"must be one of physical, virtual, voucher")
	c.Between("price", s.Price, 0, maxMoney)
	c.That(problem.IsCurrency(s.Currency), "currency", "must be three capital letters, such as CNY")
	c.Between("stock", s.Stock, 0, maxStock)
	c.Between("freight.fee", s.Freight.Fee, 0, maxMoney)
	c.Between("freight.free_over", s.Freight.FreeOver, 0, maxMoney)
	s.RequiredFields.check(&c)
	c.Between("version", s.Version, -1, MaxAmount) // -1: it must be new
	return c.Err()
}

// maxRegions bounds the regions of a stock point.
const maxRegions = 1000

// maxRegion bounds the name of a region, in characters.
const maxRegion = 64

func (p Point) check() error {
	var c problem.Checks
	c.That(ids.Valid(p.ID), "point_id", ids.Rule)
	c.Text("name", p.Name, 1, 200)
	c.That(len(p.Regions) <= maxRegions, "regions", "must have at most %d items", maxRegions)
	seen := make(map[string]bool, len(p.Regions))
	for i, region := range p.Regions[:min(len(p.Regions), maxRegions)] {
		field := fmt.Sprintf("regions[%d]", i)
		c.Text(field, region, 1, maxRegion)
		key := regionKey(region)
		c.That(!seen[key], field, "is a duplicate")
		seen[key] = true
		if len(c) > 20 {
			break
		}
	}
	c.Text("address", p.Address, 0, 200)
	c.Text("hours", p.Hours, 0, 200)
	c.Between("freight_extra", p.FreightExtra, 0, maxMoney)
	c.Between("version", p.Version, -1, MaxAmount) // -1: it must be new
	return c.Err()
}
