package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
)

const demoShop = "demo-shop"

// demoPicture is the address of a picture of web/pages/demo.
func (c *Config) demoPicture(name string) string {
	return c.basePath() + "/assets/demo/" + name + ".svg"
}

// demoDescription describes the goods of a demo sale.
const demoDescription = "A desk lamp with warm light, an online course in photography, and an afternoon at a spa: " +
	"each at half its price or less, while units last."

// The descriptions of the demo's goods.
const (
	demoLamp       = "Warm light in three levels, an arm that bends where you read, and a steady metal foot."
	demoHeadphones = "Closed, light, and quiet around you: 30 hours of music from one charge."
	demoCourse     = "Ten lessons in photography, from light to picture, to watch when you have time."
	demoVoucher    = "An afternoon at the spa: sauna, pool and half an hour of massage. Show the code at the desk."
)

// Demo puts a demo shop into an embedded run: goods, stock points, a sale that runs, and one that starts in a
// minute with permits, a proof of work and a waiting room. It adds missing parts and changes nothing that
// exists, since an operator may have edited it.
func (s *Server) Demo(ctx context.Context) error {
	for _, sku := range []catalogue.SKU{
		{
			ID: "lamp", Title: "Desk lamp", Description: demoLamp, Kind: catalogue.Physical, Price: 4900, Stock: 500,
			Freight: catalogue.FreightRule{Fee: 600, FreeOver: 10000},
		},
		{
			ID: "headphones", Title: "Headphones", Description: demoHeadphones, Kind: catalogue.Physical,
			Price: 19900, Stock: 200,
			Freight: catalogue.FreightRule{Fee: 900},
		},
		{
			ID: "course", Title: "Online course", Description: demoCourse, Kind: catalogue.Virtual, Price: 2900,
			Stock: 10000,
		},
		{
			ID: "spa-voucher", Title: "Spa voucher", Description: demoVoucher, Kind: catalogue.Voucher, Price: 9900,
			Stock: 1000,
		},
	} {
		if _, err := s.Catalogue.SKU(ctx, sku.ID); problem.CodeOf(err) != problem.CodeNotFound {
			if err != nil {
				return fmt.Errorf("demo sku %s: %w", sku.ID, err)
			}
			continue // it may have been edited
		}
		sku.Shop, sku.Currency, sku.ImageURL = demoShop, "CNY", s.cfg.demoPicture(sku.ID)
		if _, err := s.Catalogue.PutSKU(ctx, sku); err != nil {
			return fmt.Errorf("demo sku %s: %w", sku.ID, err)
		}
	}
	points, err := s.Catalogue.Points(ctx, catalogue.Filter{}, api.KeyPage{Page: 1, Size: api.MaxPageSize})
	if err != nil {
		return fmt.Errorf("demo stock points: %w", err)
	}
	for _, p := range []catalogue.Point{
		{ID: "0", Name: "Central warehouse", Regions: []string{}},
		{
			ID: "east", Name: "East warehouse", Regions: []string{"Shanghai", "Jiangsu", "Zhejiang"}, Pickup: true,
			Address: "88 Longhua Road, Shanghai", Hours: "Mon to Sat, 9:00 to 20:00",
		},
		{ID: "south", Name: "South warehouse", Regions: []string{"Guangdong", "Fujian"}, FreightExtra: 200},
	} {
		if slices.ContainsFunc(points.Items, func(there catalogue.Point) bool { return there.ID == p.ID }) {
			continue
		}
		if _, err := s.Catalogue.PutPoint(ctx, p); err != nil {
			return fmt.Errorf("demo stock point %s: %w", p.ID, err)
		}
	}
	return s.demoSales(ctx)
}

func (s *Server) demoSales(ctx context.Context) error {
	now := s.clock.Now()
	published, err := s.Activities.List(ctx, admin.Filter{State: seckill.Published}, api.KeyPage{Page: 1, Size: 100})
	if err != nil {
		return fmt.Errorf("demo sales: %w", err)
	}
	running, soon := false, false
	for _, a := range published.Items {
		running = running || (a.StartsMS <= now.UnixMilli() && a.EndsMS > now.Add(time.Hour).UnixMilli())
		soon = soon || a.StartsMS > now.UnixMilli()
	}
	if !running {
		err := s.demoSale(ctx, &seckill.Activity{
			Title: "Half-price flash sale", Description: demoDescription, ImageURL: s.cfg.demoPicture("sale"),
			StartsMS: now.Add(-time.Minute).UnixMilli(), PermitRatio: seckill.Unlimited,
		})
		if err != nil {
			return err
		}
	}
	if !soon {
		return s.demoSale(ctx, &seckill.Activity{
			Title: "Flash sale with a waiting room", ImageURL: s.cfg.demoPicture("waiting-room"),
			Description: "Everybody waits in one line. " + demoDescription,
			StartsMS:    now.Add(time.Minute).UnixMilli(),
			PermitRatio: 2, HumanCheck: human.ProofOfWork, WaitingRoom: line.Settings{PathsPerSecond: 5},
		})
	}
	return nil
}

// demoSale publishes a sale of a day; sale has its title, its start and its gates.
func (s *Server) demoSale(ctx context.Context, sale *seckill.Activity) error {
	points := []seckill.PointStock{{Point: "0", Total: 50}, {Point: "east", Total: 30}, {Point: "south", Total: 20}}
	only := []seckill.PointStock{{Point: "0", Total: 100}}
	sale.Shop, sale.PurchaseLimit = demoShop, 10
	sale.EndsMS = s.clock.Now().Add(24 * time.Hour).UnixMilli()
	sale.PayWithinS = 300
	sale.Images = seckill.Images{
		s.cfg.demoPicture("lamp"), s.cfg.demoPicture("course"), s.cfg.demoPicture("spa-voucher"),
	}
	sale.SKUs = []seckill.ActivitySKU{
		{SKU: "course", FlashPrice: 900, PurchaseLimit: seckill.Unlimited, Stock: only}, // first: it needs no address
		{SKU: "lamp", FlashPrice: 1900, PurchaseLimit: 3, Stock: points},
		{SKU: "spa-voucher", FlashPrice: 4900, PurchaseLimit: 2, Stock: only},
	}
	a, err := s.Activities.Create(ctx, sale)
	if err != nil {
		return fmt.Errorf("demo sale: %w", err)
	}
	if _, err := s.Activities.Publish(ctx, a.ID, 0); err != nil {
		return fmt.Errorf("publish demo sale: %w", err)
	}
	return nil
}
