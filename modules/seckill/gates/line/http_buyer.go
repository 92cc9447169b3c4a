package line

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of waiting rooms.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the routes; Register adds them to a router.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service: service} }

// Register adds the routes to the buyers' group, /api/v1.
func (h *HTTPBuyer) Register(r fiber.Router) {
	r.Post("/seckill/line", h.join)
	r.Get("/seckill/line/:place", h.place)
	r.Get("/seckill/line/:place/events", h.followPlace)
}

func (h *HTTPBuyer) join(c *fiber.Ctx) error {
	var body struct {
		Activity string `json:"activity_id" validate:"required,id"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	answer, err := h.service.Join(c.UserContext(), web.Who(c).User, body.Activity)
	if err != nil {
		return err
	}
	return c.JSON(answer)
}

func (h *HTTPBuyer) place(c *fiber.Ctx) error {
	answer, err := h.service.Place(c.UserContext(), web.Who(c).User, web.Param(c, "place"))
	if err != nil {
		return err
	}
	return c.JSON(answer)
}

const (
	// eventsEvery is the interval at which a followed place is judged; that costs no call of a store.
	eventsEvery = time.Second
	// eventsFor is how long a place is followed over one connection.
	eventsFor = 10 * time.Minute
)

// followPlace streams the state of a place until it is admitted. For an invalid place it answers 403 without a
// stream.
func (h *HTTPBuyer) followPlace(c *fiber.Ctx) error {
	user, sealed := web.Who(c).User, web.Param(c, "place")
	return web.Events(c, "place", eventsFor, web.Every(eventsEvery, func(ctx context.Context) (any, bool, error) {
		answer, err := h.service.Place(ctx, user, sealed)
		if err != nil {
			return nil, false, err
		}
		if answer.Place != "" {
			sealed = answer.Place // with the position of an early place, once it is known
		}
		return answer, answer.Status == Admitted, nil
	}))
}
