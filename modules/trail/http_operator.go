package trail

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/order/myorders"
	"onrush/modules/problem"
	"onrush/web"
)

// maxOrders is how many orders a trail shows.
const maxOrders = 50

// ShopOf returns the shop of a sale; the error is not_found if there is no such sale.
type ShopOf func(ctx context.Context, activity string) (string, error)

// HTTPOperator serves the operators' route of trails, and finds users for their search.
type HTTPOperator struct {
	service *Service
	orders  *myorders.Service
	shopOf  ShopOf
	now     func() time.Time
}

// NewHTTPOperator returns the handler; app/server/routes.go gives it its URL.
func NewHTTPOperator(service *Service, orders *myorders.Service, shopOf ShopOf, now func() time.Time) *HTTPOperator {
	return &HTTPOperator{service, orders, shopOf, now}
}

// Get answers GET /admin/api/v1/users/{user_id}/trail. For an operator of one shop, a user of whom the shop has neither
// an order nor a refusal is not_found.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	user, ctx := web.Param(c, "user_id"), c.UserContext()
	if !problem.IsUser(user) {
		return problem.NotFound("user")
	}
	found, since := h.service.OfUser(ctx, user), h.now().Add(-kept)
	refusals, all := h.ofShop(ctx, found.Refusals)
	t := trail{
		User: user, Since: api.Millis(since.UnixMilli()),
		Refusals: append([]Refusal{}, refusals...), Orders: []myorders.Row{}, Partial: found.Partial || !all,
	}
	shop := api.ShopOf(ctx)
	orders, err := h.orders.List(ctx, user, myorders.Filter{Shop: shop}, api.Page{Page: 1, Size: maxOrders})
	t.Partial = t.Partial || orders.Partial || err != nil // without the stores, refusals tell that they are away
	if shop != "" && len(refusals)+len(orders.Items) == 0 && !t.Partial {
		return problem.NotFound("user")
	}
	for _, o := range orders.Items {
		if !o.Number.Time().Before(since) {
			t.Orders = append(t.Orders, o)
		}
	}
	return c.JSON(t)
}

// Find returns hits for the user, the Idempotency-Key or the request q, if requests of it were refused in the last day.
func (h *HTTPOperator) Find(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	refusals, _ := h.ofShop(ctx, h.service.about(ctx, q).Refusals)
	var hits []api.Hit
	for _, r := range refusals {
		hit := api.Hit{Kind: "refusal", ID: q, User: r.User, Link: route(r.User)}
		if r.User == q {
			hit.Kind = "user"
		}
		if !slices.Contains(hits, hit) && len(hits) < limit {
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// route returns the route of a user's trail.
func route(user string) string { return "/admin/api/v1/users/" + url.PathEscape(user) + "/trail" }

// ofShop returns the refusals that an operator may see, at most maxRefusals: for one of a shop, those in sales of the
// shop. A refusal that names no sale may be about what another shop sells. all is false if a sale can't be read, whose
// refusals are missing.
func (h *HTTPOperator) ofShop(ctx context.Context, refusals []Refusal) (seen []Refusal, all bool) {
	own, all := map[string]bool{"": false}, true
	for _, r := range refusals {
		if _, known := own[r.Activity]; !known && api.ShopOf(ctx) != "" {
			shop, err := h.shopOf(ctx, r.Activity)
			all = all && (err == nil || problem.CodeOf(err) == problem.CodeNotFound)
			own[r.Activity] = err == nil && !api.Outside(ctx, shop)
		}
		if own[r.Activity] || api.ShopOf(ctx) == "" {
			seen = append(seen, r)
		}
		if len(seen) == maxRefusals {
			break
		}
	}
	return seen, all
}

// trail is what happened to a user in the last day.
type trail struct {
	User     string         `json:"user_id"`
	Since    api.Millis     `json:"since"`
	Refusals []Refusal      `json:"refusals"` // the latest first
	Orders   []myorders.Row `json:"orders"`   // the newest first
	Partial  bool           `json:"partial"`
}
