package line

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of waiting rooms.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service: service} }

// Join answers POST /api/v1/seckill/line.
func (h *HTTPBuyer) Join(c *fiber.Ctx) error {
	var body struct {
		Activity string `json:"activity_id" validate:"required,id"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	who := web.Who(c)
	answer, err := h.service.Join(c.UserContext(), who.User, who.Segments, body.Activity)
	if err != nil {
		return err
	}
	return c.JSON(answer)
}

// Place answers GET /api/v1/seckill/line/{place}.
func (h *HTTPBuyer) Place(c *fiber.Ctx) error {
	who := web.Who(c)
	answer, err := h.service.Place(c.UserContext(), who.User, who.Segments, web.Param(c, "place"))
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

// FollowPlace streams the state of a place until it is admitted. For an invalid place it answers 403 without a
// stream.
func (h *HTTPBuyer) FollowPlace(c *fiber.Ctx) error {
	who, sealed := web.Who(c), web.Param(c, "place")
	return web.Events(c, "place", eventsFor, web.Every(eventsEvery, func(ctx context.Context) (any, bool, error) {
		answer, err := h.service.Place(ctx, who.User, who.Segments, sealed)
		if err != nil {
			return nil, false, err
		}
		if answer.Place != "" {
			sealed = answer.Place // with the position of an early place, once it is known
		}
		return answer, answer.Status == Admitted, nil
	}))
}
