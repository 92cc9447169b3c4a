package human

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
)

// Activities know which check an activity has.
type Activities interface {
	// HumanCheck returns an activity's lane and check; the error is not_found for an activity that buyers
	// can't see.
	HumanCheck(ctx context.Context, activity string) (lane int, kind Kind, err error)
}

// HTTPBuyer serves the storefront's route of human checks.
type HTTPBuyer struct {
	checks     Checks
	activities Activities
}

// NewHTTPBuyer returns the handler; app/server/routes.go gives it its URL.
func NewHTTPBuyer(checks Checks, activities Activities) *HTTPBuyer {
	return &HTTPBuyer{checks: checks, activities: activities}
}

// Challenge returns the challenge that the buyer must solve before a path. A challenge is for one buyer and one answer,
// so it is not cached.
func (h *HTTPBuyer) Challenge(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "activity_id"); err != nil {
		return err
	}
	id, err := web.Query(c, "activity_id")
	if err != nil {
		return err
	}
	if !ids.Valid(id) {
		return problem.Invalid("activity_id", "must be the id of an activity")
	}
	lane, kind, err := h.activities.HumanCheck(c.UserContext(), id)
	if err != nil {
		return err
	}
	subject := Subject{Lane: lane, Activity: id, User: web.Who(c).User, Address: web.ClientIP(c)}
	challenge, err := h.checks.Challenge(c.UserContext(), kind, subject)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(challenge)
}
