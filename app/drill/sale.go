package drill

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"onrush/app/buyer"
	"onrush/app/operator"
	"onrush/modules/catalogue"
	"onrush/web/client"
)

const (
	// ownLimit is how many units a buyer may buy in a sale of the drill's own.
	ownLimit = 2
	// ownPermits is how many of its permits are out at once, per unit left.
	ownPermits = 3
	// ownRequests is how many requests for paths, confirmations and orders its users have per second.
	ownRequests = 20
	// unlimited is the value of a limit that is none.
	unlimited = -1
)

type object = map[string]any

// sale is one sale of a drill, as the program has it.
type sale struct {
	client.AdminActivity
	goods []buyer.Goods
}

// pays reports whether unpaid orders of the sale are cancelled while the drill waits.
func (s *sale) pays(settle time.Duration) bool {
	const slack = 5 * time.Second // the program asks the gateway once more
	return time.Duration(s.PayWithinS)*time.Second+slack < settle
}

func (s *sale) hasRoom() bool { return s.WaitingRoom.PathsPerSecond > 0 }

func (s *sale) hasHumanCheck() bool { return s.HumanCheck != "" && s.HumanCheck != "none" }

// segmentsOf returns the segments whose buyers the sale of a file is for, so that all visitors may buy; the file may be
// nil.
func segmentsOf(file *operator.SaleFile) (names []string) {
	if file != nil {
		listed, _ := file.Fields["segments"].([]any)
		for _, name := range listed {
			names = append(names, fmt.Sprint(name))
		}
	}
	return names
}

// choose returns the goods of a visitor: each has as many visitors as its part of the units. Those who want more than
// they may choose what there is plenty of, if anything: of other goods they would be told that they are sold out.
func (s *sale) choose(v Visitor) buyer.Goods {
	isPlenty := func(g buyer.Goods) bool { return g.SKU == plentyOf(s.ActivityID) }
	greedy := len(v.Orders) > ownLimit && slices.ContainsFunc(s.goods, isPlenty)
	all := slices.DeleteFunc(slices.Clone(s.goods), func(g buyer.Goods) bool {
		return isPlenty(g) != greedy || g.SKU == giftOf(s.ActivityID)
	})
	return all[buyer.Pick(all, v.Choice)]
}

// plentyOf returns the id of the sku of an own sale that has units for all.
func plentyOf(sale string) string { return sale + "-l" }

// ownSale returns the file of a sale of the drill's own, and creates its goods.
func (r *run) ownSale(ctx context.Context, index int, p part) (*operator.SaleFile, error) {
	id := fmt.Sprintf("drill-%s-%d", r.id, index)
	virtual, physical, plenty := id+"-v", id+"-p", plentyOf(id)
	north, south := "drill-"+r.id+"-n", "drill-"+r.id+"-s"
	points := map[string]object{
		north: {"name": "Drill north", "regions": []string{north}},
		south: {"name": "Drill south", "pickup": true},
	}
	for _, point := range slices.Sorted(maps.Keys(points)) {
		if err := r.put(ctx, "/admin/api/v1/points/"+point, points[point]); err != nil {
			return nil, fmt.Errorf("create a stock point: %w", err)
		}
	}
	for sku, kind := range map[string]string{virtual: "virtual", physical: "physical", plenty: "virtual"} {
		body := object{"title": "Drill", "shop_id": "drill", "kind": kind, "price": 2000, "currency": "EUR"}
		if err := r.put(ctx, "/admin/api/v1/skus/"+sku, body); err != nil {
			return nil, fmt.Errorf("create a sku: %w", err)
		}
	}
	stock := func(point string, units int) object { return object{"point_id": point, "quantity": units} }
	units := max(p.units, 3)
	third := units * 3 / 10
	fields := object{
		"title": "Drill " + r.id, "shop_id": "drill", "pay_within_s": int(r.cfg.PayWithin.Seconds()),
		"purchase_limit": ownLimit,
		"skus": []any{
			object{"sku_id": virtual, "flash_price": 1000, "stock": []any{stock("0", units-2*third)}},
			object{"sku_id": physical, "flash_price": 1500, "stock": []any{stock(north, third), stock(south, third)}},
			object{"sku_id": plenty, "flash_price": 500, "stock": []any{stock("0", len(r.plan.Visitors))}},
		},
	}
	if r.cfg.Scenario != Classic || r.floods() {
		fields["limits"] = object{"user": object{"requests": ownRequests, "seconds": 1}}
	}
	if r.cfg.Scenario != Classic {
		fields["permit_ratio"] = ownPermits
		if !r.cfg.noHumanCheck {
			fields["human_check"] = "pow"
		}
		rate := float64(p.visitors) / r.cfg.Over.Seconds() // a rush waits, and those who come evenly don't
		if r.cfg.Scenario == Trickle || r.cfg.Scenario == Soak {
			rate *= 2
		}
		fields["waiting_room"] = object{"paths_per_second": max(rate, 5)}
	}
	return &operator.SaleFile{ID: id, Publish: true, Fields: fields}, nil
}

// copied returns the file of a sale that was given, with an id and times of the drill, and creates goods and stock
// points that the program doesn't have.
func (r *run) copied(ctx context.Context, _ int, _ part) (*operator.SaleFile, error) {
	file := *r.cfg.Sale
	file.ID, file.Publish, file.Version = "drill-"+r.id+"-0", true, 0
	file.Fields = maps.Clone(file.Fields)
	skus, _ := file.Fields["skus"].([]any)
	for _, one := range skus {
		sku, _ := one.(object)
		id, kind := fmt.Sprint(sku["sku_id"]), "virtual"
		stock, _ := sku["stock"].([]any)
		for _, one := range stock {
			at, _ := one.(object)
			point := fmt.Sprint(at["point_id"])
			if point != catalogue.DefaultPoint { // where only goods are that are delivered
				kind = "physical"
			}
			body := object{"name": point, "pickup": true}
			if err := r.createMissing(ctx, "/admin/api/v1/points/"+url.PathEscape(point), body); err != nil {
				return nil, err
			}
		}
		body := object{
			"title": id, "shop_id": file.Fields["shop_id"], "kind": kind, "price": sku["flash_price"],
			"currency": "EUR",
		}
		if err := r.createMissing(ctx, "/admin/api/v1/skus/"+url.PathEscape(id), body); err != nil {
			return nil, err
		}
	}
	return &file, nil
}

func (r *run) createMissing(ctx context.Context, path string, body object) error {
	err := r.operator.Get(ctx, path, nil)
	if operator.IsNotFound(err) {
		return r.put(ctx, path, body)
	}
	return err
}

func (r *run) put(ctx context.Context, path string, body object) error {
	return r.operator.Call(ctx, http.MethodPut, path, "", body, nil)
}

// open publishes a sale that starts at a time, and reads it as the program has it.
func (r *run) open(ctx context.Context, file *operator.SaleFile, starts time.Time) (*sale, error) {
	at := func(t time.Time) string { return t.UTC().Format(operator.TimeFormat) }
	file.Fields["starts_at"] = at(starts)
	file.Fields["ends_at"] = at(starts.Add(r.cfg.Over + patience + time.Hour))
	wishes := r.besides() && len(r.sales) == 0
	if wishes {
		wishFields(file.Fields, starts.Add(r.cfg.Over/2))
	}
	plan, err := r.operator.Plan(ctx, file)
	if err == nil {
		err = r.operator.Apply(ctx, plan)
	}
	if err != nil {
		return nil, fmt.Errorf("publish a sale: %w", err)
	}
	r.made = append(r.made, file.ID)
	if wishes {
		if err := r.listBuyers(ctx, file.ID, func(v Visitor) bool { return !isOutsider(v) }); err != nil {
			return nil, err
		}
	}
	s := &sale{}
	if err := r.operator.Get(ctx, "/admin/api/v1/activities/"+file.ID, &s.AdminActivity); err != nil {
		return nil, err
	}
	if err := r.compareClocks(ctx, s); err != nil {
		return nil, err
	}
	for _, sku := range s.Skus {
		var has client.SKU
		if err := r.operator.Get(ctx, "/admin/api/v1/skus/"+url.PathEscape(sku.SKUID), &has); err != nil {
			return nil, err
		}
		for _, stock := range sku.Stock {
			g := buyer.Goods{SKU: sku.SKUID, Point: stock.PointID, Price: sku.FlashPrice, Units: stock.Quantity}
			if has.Kind == "physical" {
				if err := r.delivery(ctx, &g); err != nil {
					return nil, err
				}
			}
			s.goods = append(s.goods, g)
		}
	}
	return s, nil
}

// compareClocks refuses a drill whose visitors would come at other times than they mean to.
func (r *run) compareClocks(ctx context.Context, s *sale) error {
	asked := time.Now()
	stats, err := r.stats(ctx, s)
	if err != nil {
		return err
	}
	ahead, behind := time.Until(stats.ServerTime), asked.Sub(stats.ServerTime)
	switch {
	case ahead > clocks:
		return fmt.Errorf("the program's clock is %s ahead of this machine's; a drill needs equal ones", ahead)
	case behind > clocks:
		return fmt.Errorf("the program's clock is %s behind this machine's; a drill needs equal ones", behind)
	}
	return nil
}

// delivery finds how a buyer gets goods from their stock point.
func (r *run) delivery(ctx context.Context, g *buyer.Goods) error {
	var point client.Point
	if err := r.operator.Get(ctx, "/admin/api/v1/points/"+url.PathEscape(g.Point), &point); err != nil {
		return err
	}
	switch {
	case point.Pickup:
		g.Pickup = g.Point
	case len(point.Regions) > 0:
		g.Region = point.Regions[0]
	default:
		g.Region = "drill" // no stock point serves it but the default one
	}
	return nil
}
