package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
)

// PutFile answers PUT /admin/api/v1/activities/{activity_id}/file.
func (h *HTTPOperator) PutFile(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "dry_run"); err != nil {
		return err
	}
	dryRun, err := web.Query(c, "dry_run", "true", "false")
	if err != nil {
		return err
	}
	id := web.Param(c, "activity_id")
	if !ids.Valid(id) {
		return problem.Invalid("activity_id", ids.Rule)
	}
	var body fileBody
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	if err := h.checkPictures(orEmpty(body.ImageURL), orEmpty(body.Images)).Err(); err != nil {
		return err
	}
	plan, err := h.activities.plan(c.UserContext(), id, &body, version)
	if err == nil && dryRun != "true" && len(plan.Differences) > 0 {
		err = h.activities.carryOut(c.UserContext(), plan)
	}
	if err != nil {
		return err
	}
	return c.JSON(plan)
}
