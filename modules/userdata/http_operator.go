package userdata

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of a buyer's data.
type HTTPOperator struct {
	service *Service
	now     func() time.Time
}

// NewHTTPOperator returns the routes over service.
func NewHTTPOperator(service *Service, now func() time.Time) *HTTPOperator {
	return &HTTPOperator{service, now}
}

// Export answers GET /admin/api/v1/users/{user_id}/export.
func (h *HTTPOperator) Export(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	user, err := userOf(c)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	failed := []byte("\nThe file is not complete: a store is unavailable.\n")
	return web.File(c, "user.json", fiber.MIMEApplicationJSON, h.service.Export(user, h.now()), failed)
}

// Erase answers POST /admin/api/v1/users/{user_id}/erase.
func (h *HTTPOperator) Erase(c *fiber.Ctx) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	var body struct {
		Confirm string `json:"confirm" validate:"required,user"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	if body.Confirm != user {
		return problem.Invalid("confirm", "must be the user id of the path: an erasure can't be undone")
	}
	erased, err := h.service.Erase(c.UserContext(), user)
	if err != nil {
		return err
	}
	return c.JSON(erased)
}

func userOf(c *fiber.Ctx) (string, error) {
	user := web.Param(c, "user_id")
	if !problem.IsUser(user) {
		return "", problem.NotFound("user")
	}
	return user, nil
}
