package admin

import (
	"context"
	"errors"
	"strings"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/line"
)

// Clone drafts a copy of an activity in any state. It copies the stock that operators set, not the units left, and of
// waves and reserved units what this stock has, which may have been lowered since. Times of 0 are the original's; waves
// move with the start; an end without a start must be after the original's start. If the copy would be invalid though
// its times are in order, such as when the catalogue no longer has a sku, the error is conflict.
func (as *Activities) Clone(ctx context.Context, id string, startsMS, endsMS int64) (*seckill.Activity, error) {
	original, err := as.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	draft := &seckill.Activity{
		Title: original.Title, Shop: original.Shop, StartsMS: original.StartsMS, EndsMS: original.EndsMS,
		PayWithinS: original.PayWithinS, PayGraceS: original.PayGraceS,
		PurchaseLimit: original.PurchaseLimit, PermitRatio: original.PermitRatio,
		HumanCheck: original.HumanCheck, Limits: original.Limits, Segments: original.Segments,
		OfferWithinS: original.OfferWithinS, Mode: original.Mode, BasketMax: original.BasketMax,
		Eligible: original.Eligible, LimitKey: original.LimitKey, Reserved: original.Reserved,
		ExpectedVisitors: original.ExpectedVisitors,
		WaitingRoom:      line.Settings{PathsPerSecond: original.WaitingRoom.PathsPerSecond},
		Description:      original.Description, ImageURL: original.ImageURL, Images: original.Images,
	}
	if startsMS != 0 {
		draft.StartsMS = startsMS
	}
	if endsMS != 0 {
		draft.EndsMS = endsMS
	}
	if draft.Reserved.On() {
		draft.Reserved.Until += api.Millis(draft.StartsMS - original.StartsMS)
	}
	reserves := false
	for _, g := range original.SKUs {
		sku := seckill.ActivitySKU{
			SKU: g.SKU, FlashPrice: g.FlashPrice, Currency: g.Currency, PurchaseLimit: g.PurchaseLimit,
			Parts: g.Parts, Reserved: reservable(g),
		}
		reserves = reserves || len(sku.Reserved) > 0
		sku.Waves = wavesWithin(g).Shifted(draft.StartsMS - original.StartsMS)
		for _, p := range g.Stock {
			sku.Stock = append(sku.Stock, seckill.PointStock{Point: p.Point, Total: p.Total})
		}
		draft.SKUs = append(draft.SKUs, sku)
	}
	if !reserves {
		draft.Reserved = eligible.ReservedFor{}
	}
	clone, err := as.Create(ctx, draft)
	if problem.CodeOf(err) == problem.CodeInvalidRequest && draft.EndsMS > draft.StartsMS {
		return nil, problem.Errorf(problem.CodeConflict, "The activity can't be cloned: %s.", detailOf(err))
	}
	return clone, err
}

// detailOf returns the sentence of a problem without its full stop.
func detailOf(err error) string {
	var e *problem.Error
	if errors.As(err, &e) {
		return strings.TrimSuffix(e.Detail, ".")
	}
	return "it is not valid"
}
