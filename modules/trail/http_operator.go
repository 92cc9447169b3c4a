package trail

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/order/myorders"
	"onrush/modules/problem"
	"onrush/web"
)

// maxOrders is how many orders a trail shows.
const maxOrders = 50

// HTTPOperator serves the operators' route of trails.
type HTTPOperator struct {
	service *Service
	orders  *myorders.Service
	now     func() time.Time
}

// NewHTTPOperator returns the handler; app/server/routes.go gives it its URL.
func NewHTTPOperator(service *Service, orders *myorders.Service, now func() time.Time) *HTTPOperator {
	return &HTTPOperator{service, orders, now}
}

// Get answers GET /admin/api/v1/users/{user_id}/trail.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	user := web.Param(c, "user_id")
	if !problem.IsUser(user) {
		return problem.NotFound("user")
	}
	found, since := h.service.OfUser(c.UserContext(), user), h.now().Add(-kept)
	t := trail{
		User: user, Since: api.Millis(since.UnixMilli()),
		Refusals: append([]Refusal{}, found.Refusals...), Orders: []myorders.Row{}, Partial: found.Partial,
	}
	page := api.Page{Page: 1, Size: maxOrders}
	orders, err := h.orders.List(c.UserContext(), user, myorders.Filter{}, page)
	t.Partial = t.Partial || orders.Partial || err != nil // without the stores, refusals tell that they are away
	for _, o := range orders.Items {
		if !o.Number.Time().Before(since) {
			t.Orders = append(t.Orders, o)
		}
	}
	return c.JSON(t)
}

// trail is what happened to a user in the last day.
type trail struct {
	User     string         `json:"user_id"`
	Since    api.Millis     `json:"since"`
	Refusals []Refusal      `json:"refusals"` // the latest first
	Orders   []myorders.Row `json:"orders"`   // the newest first
	Partial  bool           `json:"partial"`
}
