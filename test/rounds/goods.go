package rounds

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"onrush/modules/order"
	"onrush/test/stage"
	"onrush/web/client"
)

// write writes a draft that starts at a time, with goods of its own, which have its id.
func (o *operators) write(ctx context.Context, id string, starts time.Time) (sku map[string]any, ok bool) {
	sku = map[string]any{"title": id, "shop_id": "rounds", "kind": "virtual", "price": 99_000, "currency": "JPY"}
	draft := map[string]any{
		"title": id, "shop_id": "rounds", "starts_at": starts.UTC().Format(time.RFC3339),
		"ends_at": starts.Add(time.Hour).UTC().Format(time.RFC3339), "purchase_limit": 1, "pay_within_s": 60,
		"skus": []any{map[string]any{
			"sku_id": id, "flash_price": 9_900, "stock": []any{map[string]any{"point_id": "0", "quantity": 1}},
		}},
	}
	return sku, o.call(ctx, http.MethodPut, "/skus/"+id, "", sku, nil) &&
		o.call(ctx, http.MethodPut, "/activities/"+id, "", draft, nil)
}

// draft changes the currency of goods after a draft was written that sells them, and publishes the draft.
func (c *changing) draft(ctx context.Context, what Change, desk *operators, between func()) bool {
	id := fmt.Sprintf("draft-%x", what.Seed)
	sku, ok := desk.write(ctx, id, time.Now().Add(time.Hour))
	if !ok {
		return false
	}
	between()
	sku["currency"] = "KRW"
	changed := desk.call(ctx, http.MethodPut, "/skus/"+id, "", sku, nil)
	var sale client.AdminActivity
	if desk.call(ctx, http.MethodPost, "/activities/"+id+"/publish", "", nil, &sale) && changed {
		desk.problems = append(desk.problems, brokenDraft(sale, "JPY")...)
	}
	desk.call(ctx, http.MethodPost, "/activities/"+id+"/offline", "", nil, nil)
	return changed
}

// brokenDraft returns which skus of a draft were published in another currency than it was written in.
func brokenDraft(sale client.AdminActivity, currency string) (problems []string) {
	for _, s := range sale.Skus {
		if s.Currency != currency {
			problems = append(problems, fmt.Sprintf("sku %s of a draft of %s was published in %s", s.SKUID, currency,
				s.Currency))
		}
	}
	return problems
}

// salePrice changes the price and the purchase limit of a sale that is published and has not started. Both instances
// show the last ones that were answered.
func (c *changing) salePrice(ctx context.Context, what Change, desk *operators, between func()) bool {
	id := fmt.Sprintf("priced-%x", what.Seed)
	_, ok := desk.write(ctx, id, time.Now().Add(time.Hour))
	if !ok || !desk.call(ctx, http.MethodPost, "/activities/"+id+"/publish", "", nil, nil) {
		return false
	}
	var said client.AdminActivity
	change := func(price int64) bool {
		return desk.call(ctx, http.MethodPatch, "/activities/"+id, "", map[string]any{
			"purchase_limit": price, "skus": []any{map[string]any{"sku_id": id, "flash_price": price}},
		}, &said)
	}
	did := change(2)
	between()
	did = change(3) && did
	if !did { // an answer that was lost may have been a success
		desk.call(ctx, http.MethodPost, "/activities/"+id+"/offline", "", nil, nil)
		return false
	}
	c.afterwards(func(ctx context.Context, o *operators) {
		for range o.urls { // each call is to the other instance
			var shown client.Activity
			if c.market.call(ctx, "looker", http.MethodGet, "/api/v1/activities/"+id, nil, &shown) {
				o.problems = append(o.problems, brokenPrice(shown, said)...)
			}
		}
		o.call(ctx, http.MethodPost, "/activities/"+id+"/offline", "", nil, nil)
	})
	return true
}

// brokenPrice returns whether a sale is shown with other prices and limits than its last change was answered with.
func brokenPrice(shown client.Activity, said client.AdminActivity) (problems []string) {
	if shown.PurchaseLimit != said.PurchaseLimit || len(shown.Skus) != 1 ||
		shown.Skus[0].FlashPrice != said.Skus[0].FlashPrice {
		problems = append(problems, "sale "+said.ActivityID+" is shown with another price or limit than "+
			"was answered")
	}
	return problems
}

// points lets one stock point serve a region, and then another one in its place, beside the points of the sale.
func (c *changing) points(ctx context.Context, what Change, desk *operators, between func()) bool {
	region := fmt.Sprintf("R-%x", what.Seed)
	ids := [2]string{fmt.Sprintf("first-%x", what.Seed), fmt.Sprintf("second-%x", what.Seed)}
	put := func(id string, regions ...string) bool {
		return desk.call(ctx, http.MethodPut, "/points/"+id, "",
			map[string]any{"name": id, "regions": append([]string{}, regions...)}, nil)
	}
	did := put(ids[0], region)
	between()
	if did = did && put(ids[0]) && put(ids[1], region); !did {
		return false
	}
	c.afterwards(func(ctx context.Context, o *operators) {
		for i, id := range ids {
			var point client.Point
			if o.call(ctx, http.MethodGet, "/points/"+id, "", nil, &point) &&
				slices.Contains(point.Regions, region) != (i == 1) {
				o.problems = append(o.problems, fmt.Sprintf("point %s serves %v", id, point.Regions))
			}
		}
	})
	return true
}

// archive lets old orders of a user move to the archive, in two halves. The user's list has all of them then.
func (c *changing) archive(ctx context.Context, what Change, desk *operators, between func()) bool {
	const half = 3
	user := fmt.Sprintf("elder-%x", what.Seed)
	run := func(from uint32) bool {
		for i := from; i < from+half; i++ {
			o := order.Order{
				Number: order.NewNumber(time.Now().Add(-order.MinKeep-time.Hour), 0, uint32(what.Seed>>16)+i),
				User:   user, Task: fmt.Sprintf("1~round~%x-%d", what.Seed, i), Status: order.Cancelled,
				Content: order.Content{Type: order.Ordinary, Items: []order.Item{{SKU: c.market.sku, Quantity: 1}}},
			}
			if stage.Insert(ctx, c.rig.stores.DB, o) == nil { // else SQL is away
				c.market.watch(purchase{user: user, number: o.Number.String()})
			}
		}
		return desk.call(ctx, http.MethodPost, "/jobs/archive_orders/run", "", nil, nil)
	}
	did := run(0)
	between()
	return run(half) || did
}
