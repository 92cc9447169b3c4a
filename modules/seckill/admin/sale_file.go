package admin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/seckill"
)

// fileBody is a sale as its file says. Absent fields keep their values.
type fileBody struct {
	changeBody
	State seckill.State `json:"state" validate:"omitempty,oneof=draft published"`
}

// bodyOf returns a stored activity as an operator would send it.
func bodyOf(a *seckill.Activity) (body activityBody, err error) {
	shown, err := json.Marshal(showAdmin(a))
	if err == nil {
		err = json.Unmarshal(shown, &body)
	}
	if err != nil {
		return body, fmt.Errorf("read activity %s as a file: %w", a.ID, err)
	}
	return body, nil
}

// over returns the body from with the fields of the file over its own. It has the file's skus and stock points,
// if the file has any; if keep is true, points that the file lacks are kept, with no units.
func (f *fileBody) over(from *activityBody, keep bool) activityBody {
	to := *from
	set(&to.Title, f.Title)
	set(&to.Shop, f.Shop)
	set(&to.StartsAt, f.StartsAt)
	set(&to.EndsAt, f.EndsAt)
	set(&to.PayWithinS, f.PayWithinS)
	set(&to.PayGraceS, f.PayGraceS)
	set(&to.Description, f.Description)
	set(&to.ImageURL, f.ImageURL)
	set(&to.Images, f.Images)
	to.PurchaseLimit = cmp.Or(f.PurchaseLimit, from.PurchaseLimit)
	to.PermitRatio = cmp.Or(f.PermitRatio, from.PermitRatio)
	to.HumanCheck = cmp.Or(f.HumanCheck, from.HumanCheck)
	to.WaitingRoom = cmp.Or(f.WaitingRoom, from.WaitingRoom)
	to.Limits = f.Limits.Over(from.Limits)
	if to.OfferWithinS = cmp.Or(f.OfferWithinS, from.OfferWithinS); orEmpty(to.OfferWithinS) == 0 {
		to.OfferWithinS = nil // as showAdmin leaves it out
	}
	if to.ExpectedVisitors = cmp.Or(f.ExpectedVisitors, from.ExpectedVisitors); orEmpty(to.ExpectedVisitors) == 0 {
		to.ExpectedVisitors = nil
	}
	to.Segments = f.Segments.sorted(from.Segments)
	to.Eligibility = cmp.Or(f.Eligibility, from.Eligibility)
	to.ReservedFor = cmp.Or(f.ReservedFor, from.ReservedFor)
	set(&to.LimitKey, f.LimitKey)
	set(&to.Mode, f.Mode)
	set(&to.BasketMax, f.BasketMax)
	if f.SKUs == nil {
		return to
	}
	to.SKUs = make([]skuBody, len(f.SKUs))
	for i, s := range f.SKUs {
		sku := skuIn(from, s.SKU)
		sku.SKU = s.SKU
		set(&sku.Currency, s.Currency)
		sku.FlashPrice = cmp.Or(s.FlashPrice, sku.FlashPrice)
		sku.PurchaseLimit = cmp.Or(s.PurchaseLimit, sku.PurchaseLimit)
		if s.Waves != nil {
			sku.Waves = s.Waves.sorted()
		}
		if s.Reserved != nil {
			sku.Reserved = s.Reserved.sorted()
		}
		if s.Parts != nil {
			sku.Parts = s.Parts.Sorted()
		}
		if s.Stock != nil {
			sku.Stock = stockOver(s.Stock, sku.Stock, keep)
		}
		to.SKUs[i] = sku
	}
	return to
}

// skuIn returns a sku of a body, the zero value if it has none of this id.
func skuIn(body *activityBody, id string) (sku skuBody) {
	if i := slices.IndexFunc(body.SKUs, func(s skuBody) bool { return s.SKU == id }); i >= 0 {
		sku = body.SKUs[i]
	}
	return sku
}

func stockOver(upper []pointBody, lower []stockBody, keep bool) []stockBody {
	had := unitsOf(lower)
	stock := make([]stockBody, 0, len(upper))
	for _, p := range upper {
		stock = append(stock, stockBody{p.Point, cmp.Or(p.Quantity, had[p.Point])})
		delete(had, p.Point)
	}
	for _, p := range lower {
		if _, left := had[p.Point]; left && keep {
			stock = append(stock, stockBody{p.Point, new(int64)})
		}
	}
	return stock
}

// unitsOf returns the units of a stock by their points.
func unitsOf(stock []stockBody) map[string]*int64 {
	units := make(map[string]*int64, len(stock))
	for _, p := range stock {
		units[p.Point] = p.Quantity
	}
	return units
}

// differences compares two sales. Values that say "none" are taken as absent, as showAdmin leaves them out.
func differences(from, to *activityBody) ([]api.ChangedField, error) {
	before, err := json.Marshal(from)
	if err != nil {
		return nil, fmt.Errorf("compare sales: %w", err)
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, fmt.Errorf("compare sales: %w", err)
	}
	found := []api.ChangedField{}
	for _, d := range oplog.Differences(before, after) {
		d.From, d.To = unlessNone(d.From), unlessNone(d.To)
		inPath := strings.HasSuffix(d.Field, ".sku_id") || strings.HasSuffix(d.Field, ".point_id")
		if !inPath && (d.From != nil || d.To != nil) {
			found = append(found, d)
		}
	}
	return found, nil
}

func unlessNone(value json.RawMessage) json.RawMessage {
	switch string(value) {
	case `""`, "-1", "[]", "{}", "null":
		return nil
	}
	return value
}

// inStock reports whether a field is of the stock of a sku, which a published sale changes by itself.
func inStock(d api.ChangedField) bool { return strings.Contains(d.Field, "].stock[") }
