package queue

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOperator has the operators' routes of the queues and their dead entries.
type HTTPOperator struct{ queue *Inspector }

// NewHTTPOperator returns the routes.
func NewHTTPOperator(queue *Inspector) *HTTPOperator { return &HTTPOperator{queue} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	r.Get("/queue", h.lanes)
	r.Get("/queue/dead", h.dead)
	r.Post("/queue/dead/:dead_id/replay", web.NoBody, h.replay)
	r.Post("/queue/dead/:dead_id/discard", web.NoBody, h.discard)
}

func (h *HTTPOperator) lanes(c *fiber.Ctx) error {
	lanes, err := h.queue.Lanes(c.UserContext())
	if err != nil {
		return err
	}
	return c.JSON(struct {
		Items []Lane `json:"items"`
	}{lanes})
}

func (h *HTTPOperator) dead(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	list, err := h.queue.Dead(c.UserContext(), page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

func (h *HTTPOperator) replay(c *fiber.Ctx) error {
	item, err := h.queue.Replay(c.UserContext(), web.Param(c, "dead_id"))
	if err != nil {
		return err
	}
	return c.JSON(item)
}

func (h *HTTPOperator) discard(c *fiber.Ctx) error {
	item, err := h.queue.Discard(c.UserContext(), web.Param(c, "dead_id"), "operator:"+web.Who(c).User)
	if err != nil {
		return err
	}
	return c.JSON(item)
}
