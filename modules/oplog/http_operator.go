package oplog

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' route of changes, and identifies the operator of each request.
type HTTPOperator struct {
	changes  *Log
	recorder *Recorder
}

// NewHTTPOperator returns the route over changes.
func NewHTTPOperator(changes *Log, recorder *Recorder) *HTTPOperator {
	return &HTTPOperator{changes, recorder}
}

// Identify makes the caller the operator of all changes that the request makes. It comes before the routes.
func (h *HTTPOperator) Identify(c *fiber.Ctx) error {
	c.SetUserContext(h.recorder.By(c.UserContext(), web.Who(c).User, web.ClientIP(c)))
	return c.Next()
}

// actionName matches the names of actions.
var actionName = regexp.MustCompile(`^[a-z_.]{1,40}$`)

// maxOn is the longest name of a changed thing, in characters.
const maxOn = 120

// List answers GET /admin/api/v1/changes.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page_size", "after", "actor", "on", "action", "from", "to"); err != nil {
		return err
	}
	page, err := web.ParseCursor(c)
	if err != nil {
		return err
	}
	f := Filter{}
	if page.After != "" {
		if f.Before, err = ParseID("after", page.After); err != nil {
			return err
		}
	}
	if f.Actor, err = web.QueryUser(c, "actor"); err != nil {
		return err
	}
	if f.On, err = web.QueryLine(c, "on", maxOn); err != nil {
		return err
	}
	if f.Action, err = web.Query(c, "action"); err != nil {
		return err
	}
	if f.Action != "" && !actionName.MatchString(f.Action) {
		return problem.Invalid("action", "must be the name of an action, such as sku.changed")
	}
	if f.From, f.To, err = web.QuerySpan(c); err != nil {
		return err
	}
	list, err := h.changes.List(c.UserContext(), f, page.Size)
	if err != nil {
		return err
	}
	return c.JSON(list)
}
