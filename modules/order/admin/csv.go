package admin

import (
	"context"
	"strconv"
	"strings"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
)

// csvPage is how many orders are in memory while a file is written.
const csvPage = 500

// csvHeader has the names of the columns, in the order of csvRow.
var csvHeader = []string{
	"order_number", "placed_at", "status", "type", "kind", "shop_id", "activity_id", "user_id", "items", "goods_amount",
	"freight_amount", "total_amount", "currency", "delivery", "pickup_point_id", "receiver", "phone", "region",
	"detail", "pay_before", "paid_at", "cancelled_at", "reason", "remark", "client_reference", "room_id", "share_code",
	"share_source", "inviter_id", "point_id", "notify_token", "fulfilment", "carrier", "tracking_number", "packed_at",
	"shipped_at", "delivered_at", "bundle",
}

// CSV returns a function that returns the next page of rows of the orders that the filter selects, newest first. Each
// page is a query of its own, so that a slow client holds no read view.
func (s *Service) CSV(f Filter) func(context.Context) ([][]string, error) {
	before, done := order.Number(0), false
	return func(ctx context.Context) ([][]string, error) {
		if done {
			return nil, nil
		}
		numbers, err := f.numbers(ctx, s.db.Bulk(ctx), before, csvPage, 0)
		if err != nil {
			return nil, problem.Unavailable(err, "The orders can't be read right now.")
		}
		if done = len(numbers) < csvPage; len(numbers) == 0 {
			return nil, nil
		}
		before = numbers[len(numbers)-1]
		orders, err := order.SelectAll(ctx, s.db.Bulk(ctx), numbers)
		if err != nil {
			return nil, problem.Unavailable(err, "The orders can't be read right now.")
		}
		if err := complete.FillFulfilments(ctx, s.db.Bulk(ctx), orders); err != nil {
			return nil, problem.Unavailable(err, "The orders can't be read right now.")
		}
		rows := make([][]string, len(orders))
		for i, o := range orders {
			rows[i] = csvRow(o)
		}
		return rows, nil
	}
}

func csvRow(o *order.Order) []string {
	var address catalogue.Address
	if o.Address != nil {
		address = *o.Address
	}
	var has order.Fulfilment
	if o.Fulfilment != nil {
		has = *o.Fulfilment
	}
	amount := func(n int64) string { return strconv.FormatInt(n, 10) }
	units := func(sku string, n int64) string { return sku + " x " + amount(n) }
	items := make([]string, len(o.Items))
	for i, it := range o.Items {
		items[i] = units(it.SKU, it.Quantity)
	}
	bundle := ""
	if o.Bundle != nil {
		bundle = units(o.Bundle.SKU, o.Bundle.Quantity)
	}
	return []string{
		o.Number.String(), csvTime(o.PlacedAt), string(o.Status), string(o.Type), string(o.Kind), o.Shop,
		o.Activity, o.User, strings.Join(items, "; "), amount(o.GoodsAmount), amount(o.FreightAmount),
		amount(o.TotalAmount), o.Currency, string(o.Delivery), o.PickupPoint, address.Receiver, address.Phone,
		address.Region, address.Detail, csvTime(o.PayBefore), csvTime(api.Millis(o.PaidMS)),
		csvTime(api.Millis(o.CancelledMS)), o.Reason, oneLine.Replace(o.Remark), o.ClientReference, o.Room, o.ShareCode,
		o.ShareSource,
		o.Inviter, o.Point, o.NotifyToken, string(has.State), has.Carrier, has.TrackingNumber,
		csvTime(has.PackedAt), csvTime(has.ShippedAt), csvTime(has.DeliveredAt), bundle,
	}
}

// oneLine writes a text in one line: programs that read a file line by line take a line break in a cell for the end of
// the row.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// csvTime returns a time as the API has it; "" for 0.
func csvTime(at api.Millis) string {
	if at == 0 {
		return ""
	}
	return at.String()
}
