package order

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPQueue are the operators' routes of the queues and their dead entries.
type HTTPQueue struct{ queue *Queue }

// NewHTTPQueue makes the routes.
func NewHTTPQueue(queue *Queue) *HTTPQueue { return &HTTPQueue{queue} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPQueue) Register(r fiber.Router) {
	r.Get("/queue", h.lanes)
	r.Get("/queue/dead", h.dead)
	r.Post("/queue/dead/:dead_id/replay", web.NoBody, h.replay)
	r.Post("/queue/dead/:dead_id/discard", web.NoBody, h.discard)
}

func (h *HTTPQueue) lanes(c *fiber.Ctx) error {
	lanes, err := h.queue.Lanes(c.UserContext())
	if err != nil {
		return err
	}
	return c.JSON(struct {
		Items []LaneQueue `json:"items"`
	}{lanes})
}

func (h *HTTPQueue) dead(c *fiber.Ctx) error {
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

func (h *HTTPQueue) replay(c *fiber.Ctx) error {
	item, err := h.queue.Replay(c.UserContext(), web.Param(c, "dead_id"))
	if err != nil {
		return err
	}
	return c.JSON(item)
}

func (h *HTTPQueue) discard(c *fiber.Ctx) error {
	item, err := h.queue.Discard(c.UserContext(), web.Param(c, "dead_id"), "operator:"+web.Who(c).User)
	if err != nil {
		return err
	}
	return c.JSON(item)
}
