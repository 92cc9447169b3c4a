package crowd

import (
	"context"
	"slices"

	"onrush/app/buyer"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// elsewhere is a region that no stock point serves, so that orders for it are taken from the default point.
const elsewhere = "crowd"

// goodsOf returns the goods of a sale, or of one sku of it.
func goodsOf(ctx context.Context, points Points, sale *seckill.Activity, sku string) ([]buyer.Goods, error) {
	if sku != "" && !slices.ContainsFunc(sale.SKUs, func(s seckill.ActivitySKU) bool { return s.SKU == sku }) {
		return nil, problem.Invalid("sku_id", "is not in this sale")
	}
	var all []buyer.Goods
	for i := range sale.SKUs {
		s := &sale.SKUs[i]
		if sku != "" && sku != s.SKU {
			continue
		}
		there, err := goodsOfSKU(ctx, points, s, sale.StockOf(s))
		if err != nil {
			return nil, err
		}
		all = append(all, there...)
	}
	return all, nil
}

// goodsOfSKU returns the goods of a sku with a stock, at least one; what can't be delivered is tried by express.
func goodsOfSKU(
	ctx context.Context, points Points, s *seckill.ActivitySKU, stock []seckill.PointStock,
) (all []buyer.Goods, err error) {
	serves := func(point string) bool {
		return slices.ContainsFunc(stock, func(p seckill.PointStock) bool { return p.Point == point })
	}
	for _, p := range stock {
		g := buyer.Goods{SKU: s.SKU, Point: p.Point, Units: p.Total}
		if s.Kind == catalogue.Physical {
			point, err := points.Point(ctx, p.Point)
			if err != nil {
				return nil, err
			}
			if g.Region, err = regionOf(ctx, points, point, serves); err != nil {
				return nil, err
			}
			if point.Pickup {
				g.Region, g.Pickup = "", point.ID
			}
			if g.Region == "" && g.Pickup == "" {
				continue
			}
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		all = []buyer.Goods{{SKU: s.SKU, Units: 1, Region: elsewhere}}
	}
	return all, nil
}

// regionOf returns a region whose orders are taken from a point, or "" if there is none.
func regionOf(
	ctx context.Context, points Points, point catalogue.Point, serves func(point string) bool,
) (string, error) {
	for _, region := range append(slices.Clone(point.Regions), elsewhere) {
		by, found, err := points.PointFor(ctx, region, serves)
		if err != nil {
			return "", err
		}
		if found && by.ID == point.ID || !found && point.ID == catalogue.DefaultPoint {
			return region, nil
		}
	}
	return "", nil
}
