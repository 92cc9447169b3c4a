package blocked

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of blocks.
type HTTPOperator struct{ store *Store }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(store *Store) *HTTPOperator { return &HTTPOperator{store} }

// subjectOf reads the subject in the path. A badly escaped one is refused: taken as it is, it could be the id of
// another user.
func subjectOf(c *fiber.Ctx) (Subject, error) {
	text, err := url.PathUnescape(c.Params("subject"))
	if err != nil {
		return Subject{}, problem.Invalid(field, "must be URL-escaped")
	}
	return ParseSubject(strings.Clone(text))
}

// List answers GET /admin/api/v1/blocked.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "after", "kind", "from", "to"); err != nil {
		return err
	}
	kind, err := web.Query(c, "kind", "", string(User), string(Address))
	if err != nil {
		return err
	}
	f := Filter{Kind: Kind(kind)}
	if f.From, f.To, err = web.QuerySpan(c); err != nil {
		return err
	}
	page, err := web.ParseKeyPage(c)
	if err != nil {
		return err
	}
	list, err := h.store.List(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Get answers GET /admin/api/v1/blocked/{subject}.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	subject, err := subjectOf(c)
	if err != nil {
		return errNotFound // no store has it
	}
	entry, err := h.store.Get(c.UserContext(), subject)
	if err != nil {
		return err
	}
	web.SetVersion(c, entry.Version)
	return c.JSON(entry)
}

// Put answers PUT /admin/api/v1/blocked/{subject}.
func (h *HTTPOperator) Put(c *fiber.Ctx) error {
	subject, err := subjectOf(c)
	if err != nil {
		return err
	}
	var body struct {
		Reason string     `json:"reason" validate:"required,line,said,max=200"`
		Until  api.Millis `json:"until"`

		Version int64 `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	entry, err := h.store.Put(c.UserContext(), subject, body.Reason, body.Until, version)
	if err != nil {
		return err
	}
	web.SetVersion(c, entry.Version)
	return c.JSON(entry)
}

// Delete answers DELETE /admin/api/v1/blocked/{subject}.
func (h *HTTPOperator) Delete(c *fiber.Ctx) error {
	subject, err := subjectOf(c)
	if err != nil {
		return errNotFound // no store has it
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	if err := h.store.Delete(c.UserContext(), subject, version); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
