package server

import (
	"context"
	"fmt"
	"maps"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/web"
	"onrush/web/operators"
)

// ofShops are the routes that operators of one shop may call, and how each is confined to their shop. A route that is
// not here refuses them: it shows or changes what belongs to several shops or to none, such as settings, keys and the
// feed. Stock points have no shop; such operators only read them.
func (m *modules) ofShops() operators.Shops {
	all := operators.Shops{"GET /me": operators.Unowned}
	for _, some := range []operators.Shops{m.shopSales(), m.shopGoods(), m.shopOrders()} {
		maps.Copy(all, some)
	}
	return all
}

func (m *modules) shopSales() operators.Shops {
	activity := operators.Of("activity_id", "activity", m.shopOfActivity)
	created := operators.OfOrNew("activity_id", "activity", m.shopOfActivity)
	return operators.Shops{
		"GET /activities":                                          operators.Among,
		"POST /activities":                                         operators.Unowned, // the service checks the body
		"GET /activities/{activity_id}":                            activity,
		"PUT /activities/{activity_id}":                            created,
		"PATCH /activities/{activity_id}":                          activity,
		"PUT /activities/{activity_id}/file":                       created,
		"POST /activities/{activity_id}/publish":                   activity,
		"POST /activities/{activity_id}/offline":                   activity,
		"POST /activities/{activity_id}/pause":                     activity,
		"POST /activities/{activity_id}/resume":                    activity,
		"POST /activities/{activity_id}/clone":                     activity,
		"DELETE /activities/{activity_id}":                         activity,
		"GET /activities/{activity_id}/stats":                      activity,
		"GET /activities/{activity_id}/history":                    activity,
		"GET /activities/{activity_id}/checks":                     activity,
		"GET /activities/{activity_id}/draw":                       activity,
		"GET /activities/{activity_id}/reminders":                  activity,
		"GET /activities/{activity_id}/buyers":                     activity,
		"POST /activities/{activity_id}/buyers":                    activity,
		"DELETE /activities/{activity_id}/buyers":                  activity,
		"POST /activities/{activity_id}/codes":                     activity,
		"POST /activities/{activity_id}/codes/revoke":              activity,
		"GET /activities/{activity_id}/holds":                      activity,
		"POST /activities/{activity_id}/holds":                     activity,
		"PATCH /activities/{activity_id}/holds/{hold_id}":          activity,
		"DELETE /activities/{activity_id}/holds/{hold_id}":         activity,
		"POST /activities/{activity_id}/holds/{hold_id}/order":     activity,
		"POST /activities/{activity_id}/stock":                     activity,
		"PUT /activities/{activity_id}/stock":                      activity,
		"GET /activities/{activity_id}/stock":                      activity,
		"POST /activities/{activity_id}/stock/{change_id}/abandon": activity,
		"GET /activities/{activity_id}/audit":                      activity,
	}
}

func (m *modules) shopGoods() operators.Shops {
	sku := operators.Of("sku_id", "sku", m.shopOfSKU)
	return operators.Shops{
		"PUT /skus:batch":                       operators.Unowned, // the service checks the lines
		"PUT /skus:stock":                       operators.Unowned,
		"GET /skus":                             operators.Among,
		"GET /skus/{sku_id}":                    sku,
		"PUT /skus/{sku_id}":                    operators.OfOrNew("sku_id", "sku", m.shopOfSKU),
		"POST /skus/{sku_id}/stock":             sku,
		"PUT /skus/{sku_id}/stock":              sku,
		"DELETE /skus/{sku_id}":                 sku,
		"POST /skus/{sku_id}/vouchers:import":   sku,
		"POST /skus/{sku_id}/vouchers:withdraw": sku,
		"GET /points":                           m.pointsOfOwnActivity,
		"GET /points/{point_id}":                operators.Unowned,
		"GET /regions":                          operators.Unowned,
		"GET /pictures":                         operators.Among,
		"POST /pictures":                        operators.Among,
		"DELETE /pictures/{picture_id}":         operators.Of("picture_id", "picture", m.pictures.ShopOf),
	}
}

func (m *modules) shopOrders() operators.Shops {
	ordered := operators.Of("order_number", "order", m.shopOfOrder)
	paid := operators.Of("pay_number", "payment", m.shopIf(m.money.operators.BelongsToShop))
	refunded := operators.Of("refund_number", "refund", m.shopIf(m.money.operators.RefundBelongsToShop))
	voucher := operators.Of("code", "voucher", m.shopOfVoucher)
	return operators.Shops{
		"GET /search":                               operators.Unowned, // the query names the shop
		"GET /revenue":                              operators.Unowned, // as do its sums
		"GET /attribution":                          operators.Among,
		"GET /attribution/totals":                   operators.Among,
		"GET /attribution.csv":                      operators.Among,
		"GET /users/{user_id}/trail":                operators.Unowned, // and what it shows
		"GET /orders":                               operators.Among,
		"GET /orders.csv":                           operators.Among,
		"POST /orders:refund":                       m.ownOrders,
		"POST /orders:ship":                         operators.Unowned, // each row is checked
		"POST /orders/{order_number}/pack":          ordered,
		"POST /orders/{order_number}/ship":          ordered,
		"POST /orders/{order_number}/deliver":       ordered,
		"GET /orders/{order_number}":                ordered,
		"POST /orders/{order_number}/notes":         ordered,
		"POST /orders/{order_number}/refund":        ordered,
		"POST /orders/{order_number}/hold":          ordered,
		"POST /orders/{order_number}/paid":          ordered,
		"POST /orders/{order_number}/cancel":        ordered,
		"POST /orders/{order_number}/mark_paid":     ordered,
		"POST /orders/{order_number}/mark_refunded": ordered,
		"POST /orders/{order_number}/restock":       ordered,
		"GET /payments":                             operators.Among,
		"GET /payments.csv":                         operators.Among,
		"GET /payments/{pay_number}":                paid,
		"POST /payments/{pay_number}/clear_flag":    paid,
		"GET /refunds":                              operators.Among,
		"GET /refunds.csv":                          operators.Among,
		"GET /refunds/{refund_number}":              refunded,
		"POST /refunds/{refund_number}/report":      refunded,
		"POST /refunds/{refund_number}/retry":       refunded,
		"GET /vouchers":                             operators.Among,
		"GET /vouchers/{code}":                      voucher,
		"POST /vouchers/{code}/redeem":              voucher,
	}
}

func (m *modules) shopOfSKU(ctx context.Context, id string) (string, error) {
	sku, err := m.goods.forOperators.StoredSKU(ctx, id)
	return sku.Shop, err
}

func (m *modules) shopOfActivity(ctx context.Context, id string) (string, error) {
	activity, _, err := m.sales.operated.GetOrCached(ctx, id)
	if err != nil {
		return "", err
	}
	return activity.Shop, nil
}

func (m *modules) shopOfOrder(ctx context.Context, id string) (string, error) {
	n, err := order.ParseNumber(id)
	if err != nil {
		return "", problem.NotFound("order")
	}
	return m.orders.operators.ShopOf(ctx, n)
}

func (m *modules) shopOfVoucher(ctx context.Context, id string) (string, error) {
	voucher, err := m.money.vouchers.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return voucher.Shop, nil
}

// shopIf returns the operator's shop for a payment or refund that belongs to it, and none for others, which may concern
// several shops.
func (m *modules) shopIf(
	belongs func(ctx context.Context, n order.Number, shop string) (bool, error),
) operators.ShopOf {
	return func(ctx context.Context, id string) (string, error) {
		n, err := order.ParseNumber(id)
		if err != nil {
			return "", nil //nolint:nilerr // it belongs to no shop
		}
		shop := api.ShopOf(ctx)
		if own, err := belongs(ctx, n, shop); err != nil || !own {
			return "", err
		}
		return shop, nil
	}
}

// pointsOfOwnActivity confines the list of stock points, which a query may limit to one activity.
func (m *modules) pointsOfOwnActivity(c *fiber.Ctx) error {
	id, err := web.QueryID(c, "activity_id")
	if err != nil || id == "" {
		return errorOrNext(c, err)
	}
	shop, err := m.shopOfActivity(c.UserContext(), id)
	if problem.CodeOf(err) == problem.CodeNotFound || err == nil && api.Outside(c.UserContext(), shop) {
		err = problem.Invalid("activity_id", "must be the id of an activity of this shop")
	}
	return errorOrNext(c, err)
}

// ownOrders confines the route that refunds many orders: all of them must be of the operator's shop.
func (m *modules) ownOrders(c *fiber.Ctx) error {
	var req pay.RefundOrdersRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	for i, n := range req.Orders {
		shop, err := m.orders.operators.ShopOf(c.UserContext(), n)
		if problem.CodeOf(err) == problem.CodeNotFound || err == nil && api.Outside(c.UserContext(), shop) {
			err = problem.Invalid(fmt.Sprintf("order_numbers[%d]", i), "must be the number of an order of this shop")
		}
		if err != nil {
			return err
		}
	}
	return c.Next()
}

func errorOrNext(c *fiber.Ctx, err error) error {
	if err != nil {
		return err
	}
	return c.Next()
}
