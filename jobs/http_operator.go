package jobs

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOperator has the operators' routes of the jobs.
type HTTPOperator struct{ scheduler *Scheduler }

// NewHTTPOperator returns the routes.
func NewHTTPOperator(scheduler *Scheduler) *HTTPOperator { return &HTTPOperator{scheduler} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	r.Get("/jobs", h.list)
	r.Post("/jobs/:name/run", web.NoBody, h.run)
	r.Post("/jobs/:name/pause", web.NoBody, h.pause)
	r.Post("/jobs/:name/resume", web.NoBody, h.resume)
	r.Get("/jobs/:name/runs", h.runs)
}

func (h *HTTPOperator) list(c *fiber.Ctx) error {
	list, err := h.scheduler.List(c.UserContext())
	if err != nil {
		return err
	}
	return c.JSON(struct {
		ClockOffsetMS int64     `json:"clock_offset_ms"`
		Items         []JobView `json:"items"`
	}{h.scheduler.parts.ClockOffset().Milliseconds(), list})
}

func (h *HTTPOperator) run(c *fiber.Ctx) error {
	id, err := h.scheduler.RunNow(c.UserContext(), web.Param(c, "name"), web.Who(c).User)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(struct {
		RunID string `json:"run_id"`
	}{id})
}

func (h *HTTPOperator) pause(c *fiber.Ctx) error {
	job, err := h.scheduler.Pause(c.UserContext(), web.Param(c, "name"), web.Who(c).User)
	if err != nil {
		return err
	}
	return c.JSON(job)
}

func (h *HTTPOperator) resume(c *fiber.Ctx) error {
	job, err := h.scheduler.Resume(c.UserContext(), web.Param(c, "name"))
	if err != nil {
		return err
	}
	return c.JSON(job)
}

func (h *HTTPOperator) runs(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size"); err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.scheduler.Runs(c.UserContext(), web.Param(c, "name"), page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}
