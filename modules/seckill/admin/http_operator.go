package admin

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of flash sales.
type HTTPOperator struct {
	activities *Activities
	reporter   *Reporter
	history    *History
	checker    *Checker
	pictures   web.Pictures
}

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(
	activities *Activities, reporter *Reporter, history *History, checker *Checker, pictures web.Pictures,
) *HTTPOperator {
	return &HTTPOperator{activities, reporter, history, checker, pictures}
}

func answerActivity(c *fiber.Ctx, status int, a *seckill.Activity, err error) error {
	if err != nil {
		return err
	}
	web.SetVersion(c, a.Revision)
	return c.Status(status).JSON(showAdmin(a))
}

// maxText bounds the text of a search, in bytes.
const maxText = 128

// List answers GET /admin/api/v1/activities.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "after", "state", "shop_id", "from", "to", "q"); err != nil {
		return err
	}
	state, err := web.Query(c, "state", "", string(seckill.Draft), string(seckill.Published), string(seckill.Offline))
	if err != nil {
		return err
	}
	f := Filter{State: seckill.State(state)}
	if f.Shop, err = web.QueryID(c, "shop_id"); err != nil {
		return err
	}
	if f.From, f.To, err = web.QuerySpan(c); err != nil {
		return err
	}
	if f.Text, err = web.QueryLine(c, "q", maxText); err != nil {
		return err
	}
	page, err := web.ParseKeyPage(c)
	if err != nil {
		return err
	}
	activities, err := h.activities.List(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	list := api.List[adminActivity]{
		Page: activities.Page, PageSize: page.Size, Total: activities.Total, NextCursor: activities.NextCursor,
	}
	for _, a := range activities.Items {
		list.Items = append(list.Items, showAdmin(a))
	}
	return c.JSON(list)
}

// Clone answers POST /admin/api/v1/activities/{activity_id}/clone.
func (h *HTTPOperator) Clone(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	var body struct {
		StartsAt api.Millis `json:"starts_at"`
		EndsAt   api.Millis `json:"ends_at"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	a, err := h.activities.Clone(c.UserContext(), id, int64(body.StartsAt), int64(body.EndsAt))
	return answerActivity(c, fiber.StatusCreated, a, err)
}

// Create answers POST /admin/api/v1/activities.
func (h *HTTPOperator) Create(c *fiber.Ctx) error {
	a, _, err := h.bindActivity(c)
	if err != nil {
		return err
	}
	a, err = h.activities.Create(c.UserContext(), a)
	return answerActivity(c, fiber.StatusCreated, a, err)
}

// Get answers GET /admin/api/v1/activities/{activity_id}.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Get(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Put answers PUT /admin/api/v1/activities/{activity_id}.
func (h *HTTPOperator) Put(c *fiber.Ctx) error {
	a, version, err := h.bindActivity(c)
	if err != nil {
		return err
	}
	a.ID = web.Param(c, "activity_id")
	if !ids.Valid(a.ID) {
		return problem.Invalid("activity_id", ids.Rule)
	}
	a, err = h.activities.Put(c.UserContext(), a, version)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Change answers PATCH /admin/api/v1/activities/{activity_id}.
func (h *HTTPOperator) Change(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	change, err := h.bindChange(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Change(c.UserContext(), id, change)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Publish answers POST /admin/api/v1/activities/{activity_id}/publish.
func (h *HTTPOperator) Publish(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	a, err := h.activities.Publish(c.UserContext(), id, version)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Offline answers POST /admin/api/v1/activities/{activity_id}/offline.
func (h *HTTPOperator) Offline(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Offline(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Pause answers POST /admin/api/v1/activities/{activity_id}/pause.
func (h *HTTPOperator) Pause(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Pause(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Resume answers POST /admin/api/v1/activities/{activity_id}/resume.
func (h *HTTPOperator) Resume(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Resume(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Reload answers POST /admin/api/v1/activities/{activity_id}/reload.
func (h *HTTPOperator) Reload(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Reload(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

// Stats answers GET /admin/api/v1/activities/{activity_id}/stats.
func (h *HTTPOperator) Stats(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, fresh, err := h.activities.GetOrCached(c.UserContext(), id)
	if err != nil {
		return err
	}
	stats, err := h.reporter.Stats(c.UserContext(), a, !fresh)
	if err != nil {
		return err
	}
	return c.JSON(stats)
}

// PastFigures needs no store for an activity that this instance has sampled.
func (h *HTTPOperator) PastFigures(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	points, sampled := h.history.Of(id)
	if !sampled {
		if _, _, err := h.activities.GetOrCached(c.UserContext(), id); err != nil {
			return err
		}
	}
	return c.JSON(ActivityHistory{ActivityID: id, EveryS: int(sampleEvery / time.Second), Items: points})
}

// Check answers GET /admin/api/v1/activities/{activity_id}/checks.
func (h *HTTPOperator) Check(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	checks, err := h.checker.Check(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(checks)
}

// Delete answers DELETE /admin/api/v1/activities/{activity_id}.
func (h *HTTPOperator) Delete(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	if err := h.activities.Delete(c.UserContext(), id, version); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
