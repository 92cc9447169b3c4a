package eligible

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of lists and codes.
type HTTPOperator struct{ store *Store }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(store *Store) *HTTPOperator { return &HTTPOperator{store} }

// Summary answers GET /admin/api/v1/activities/{activity_id}/buyers.
func (h *HTTPOperator) Summary(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "activity_id", "activity")
	if err != nil {
		return err
	}
	sum, err := h.store.Summary(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(sum)
}

// maxNamed bounds the users of a request who are named as no ids.
const maxNamed = 100

// Add answers POST /admin/api/v1/activities/{activity_id}/buyers.
func (h *HTTPOperator) Add(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "activity_id", "activity")
	if err != nil {
		return err
	}
	var body struct {
		Users []string `json:"user_ids" validate:"required,min=1,max=10000"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	var checks problem.Checks
	for i, user := range body.Users {
		checks.That(problem.IsUser(user), fmt.Sprintf("user_ids[%d]", i), problem.UserRule)
		if len(checks) == maxNamed {
			break
		}
	}
	if err := checks.Err(); err != nil {
		return err
	}
	done, err := h.store.Add(c.UserContext(), id, body.Users)
	if err != nil {
		return err
	}
	return c.JSON(done)
}

// Clear answers DELETE /admin/api/v1/activities/{activity_id}/buyers.
func (h *HTTPOperator) Clear(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "activity_id", "activity")
	if err != nil {
		return err
	}
	if err := h.store.Clear(c.UserContext(), id); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// MakeCodes answers POST /admin/api/v1/activities/{activity_id}/codes.
func (h *HTTPOperator) MakeCodes(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "activity_id", "activity")
	if err != nil {
		return err
	}
	body := struct {
		Count int `json:"count" validate:"required,min=1,max=10000"`
		Uses  int `json:"uses" validate:"min=1,max=1000000"`
	}{Uses: 1}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	made, err := h.store.MakeCodes(c.UserContext(), id, body.Count, body.Uses)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(map[string]any{"codes": made, "uses": body.Uses})
}

// RevokeCodes answers POST /admin/api/v1/activities/{activity_id}/codes/revoke.
func (h *HTTPOperator) RevokeCodes(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "activity_id", "activity")
	if err != nil {
		return err
	}
	var body struct {
		Codes []string `json:"codes" validate:"required,min=1,max=10000,dive,min=1,max=64,line"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	revoked, err := h.store.RevokeCodes(c.UserContext(), id, body.Codes)
	if err != nil {
		return err
	}
	return c.JSON(map[string]int64{"revoked": revoked})
}
