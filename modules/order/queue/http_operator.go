package queue

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of the queues and their dead entries.
type HTTPOperator struct {
	queue  *Inspector
	paused PausedFunc
}

// PausedFunc returns who paused the movers, as the caller may see it, and when; zero values if they are not paused.
type PausedFunc func(c *fiber.Ctx) (by string, at api.Millis)

// NewHTTPOperator returns the routes.
func NewHTTPOperator(queue *Inspector, paused PausedFunc) *HTTPOperator {
	return &HTTPOperator{queue, paused}
}

// Lanes answers GET /admin/api/v1/queue.
func (h *HTTPOperator) Lanes(c *fiber.Ctx) error {
	lanes, err := h.queue.Lanes(c.UserContext())
	if err != nil {
		return err
	}
	by, at := h.paused(c)
	for i := range lanes {
		lanes[i].PausedBy, lanes[i].PausedAt = by, at
	}
	return c.JSON(struct {
		Items []Lane `json:"items"`
	}{lanes})
}

// Dead answers GET /admin/api/v1/queue/dead.
func (h *HTTPOperator) Dead(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "after", "reason", "activity_id", "from", "to"); err != nil {
		return err
	}
	var f DeadFilter
	var err error
	if f.Reason, err = web.Query(c, "reason"); err != nil {
		return err
	}
	if f.Reason != "" && !reasonName.MatchString(f.Reason) {
		return problem.Invalid("reason", "must be the name of a reason, such as no_record")
	}
	if f.Activity, err = web.Query(c, "activity_id"); err != nil {
		return err
	}
	if f.Activity != "" && !ids.Valid(f.Activity) {
		return problem.Invalid("activity_id", ids.Rule)
	}
	if f.From, f.To, err = web.QuerySpan(c); err != nil {
		return err
	}
	page, err := web.ParseKeyPage(c)
	if err != nil {
		return err
	}
	if page.Page > 1 && f != (DeadFilter{}) {
		return problem.Invalid("page", "cannot be combined with a filter; use before")
	}
	list, err := h.listDead(c, f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// reasonName matches the names of reasons.
var reasonName = regexp.MustCompile(`^[a-z_]{1,64}$`)

// listDead lists by page number what no filter selects, and by cursor the rest. The first page of all has both.
func (h *HTTPOperator) listDead(c *fiber.Ctx, f DeadFilter, page api.KeyPage) (api.List[DeadItem], error) {
	var numbered api.List[DeadItem]
	if page.Page > 0 && f == (DeadFilter{}) {
		var err error
		numbered, err = h.queue.Dead(c.UserContext(), api.Page{Page: page.Page, Size: page.Size})
		if err != nil || page.Page > 1 {
			return numbered, err
		}
	}
	list, err := h.queue.DeadAfter(c.UserContext(), f, page.After, page.Size)
	list.Page, list.Total = numbered.Page, numbered.Total
	return list, err
}

// ReplayAll answers POST /admin/api/v1/queue/dead:replay.
func (h *HTTPOperator) ReplayAll(c *fiber.Ctx) error {
	var body struct {
		Reason   string `json:"reason" validate:"required,max=64,visible"`
		Activity string `json:"activity_id" validate:"omitempty,id"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	replayed, err := h.queue.ReplayAll(c.UserContext(), DeadFilter{Reason: body.Reason, Activity: body.Activity})
	if err != nil {
		return err
	}
	return c.JSON(replayed)
}

// Replay answers POST /admin/api/v1/queue/dead/{dead_id}/replay.
func (h *HTTPOperator) Replay(c *fiber.Ctx) error {
	item, err := h.queue.Replay(c.UserContext(), web.Param(c, "dead_id"))
	if err != nil {
		return err
	}
	return c.JSON(item)
}

// Discard answers POST /admin/api/v1/queue/dead/{dead_id}/discard.
func (h *HTTPOperator) Discard(c *fiber.Ctx) error {
	item, err := h.queue.Discard(c.UserContext(), web.Param(c, "dead_id"), "operator:"+web.Who(c).User)
	if err != nil {
		return err
	}
	return c.JSON(item)
}
