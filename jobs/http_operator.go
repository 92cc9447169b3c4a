package jobs

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/web"
)

// HTTPOperator has the operators' routes of the jobs.
type HTTPOperator struct{ scheduler *Scheduler }

// NewHTTPOperator returns the routes.
func NewHTTPOperator(scheduler *Scheduler) *HTTPOperator { return &HTTPOperator{scheduler} }

// someOperator stands for an operator whose name the caller may not see: the scope read doesn't show what operators
// did.
const someOperator = "operator"

// seen returns the name of an operator as a caller sees it.
func seen(c *fiber.Ctx, name string) string {
	if name == "" || web.Who(c).Scope == api.ScopeAdmin {
		return name
	}
	return someOperator
}

// List answers GET /admin/api/v1/jobs.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	list, err := h.scheduler.List(c.UserContext())
	if err != nil {
		return err
	}
	for i := range list {
		list[i].PausedBy = seen(c, list[i].PausedBy)
		if last := list[i].LastRun; last != nil {
			last.AskedBy = seen(c, last.AskedBy)
		}
	}
	return c.JSON(struct {
		ClockOffsetMS int64     `json:"clock_offset_ms"`
		Items         []JobView `json:"items"`
	}{h.scheduler.parts.ClockOffset().Milliseconds(), list})
}

// MoversPaused returns who paused the movers, as the caller may see it, and when; zero values if they are not paused.
func (h *HTTPOperator) MoversPaused(c *fiber.Ctx) (by string, at api.Millis) {
	pause := h.scheduler.pauses.movers(c.UserContext())
	return seen(c, pause.By), pause.At
}

// Run answers POST /admin/api/v1/jobs/{name}/run.
func (h *HTTPOperator) Run(c *fiber.Ctx) error {
	id, err := h.scheduler.RunNow(c.UserContext(), web.Param(c, "name"), web.Who(c).User)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(struct {
		RunID string `json:"run_id"`
	}{id})
}

// Pause answers POST /admin/api/v1/jobs/{name}/pause.
func (h *HTTPOperator) Pause(c *fiber.Ctx) error {
	job, err := h.scheduler.Pause(c.UserContext(), web.Param(c, "name"), web.Who(c).User)
	if err != nil {
		return err
	}
	return c.JSON(job)
}

// Resume answers POST /admin/api/v1/jobs/{name}/resume.
func (h *HTTPOperator) Resume(c *fiber.Ctx) error {
	job, err := h.scheduler.Resume(c.UserContext(), web.Param(c, "name"))
	if err != nil {
		return err
	}
	return c.JSON(job)
}

// Runs answers GET /admin/api/v1/jobs/{name}/runs.
func (h *HTTPOperator) Runs(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	list, err := h.scheduler.Runs(c.UserContext(), web.Param(c, "name"), page)
	if err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].AskedBy = seen(c, list.Items[i].AskedBy)
	}
	return c.JSON(list)
}
