package settings

import (
	"encoding/json"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/web"
)

// InForce are the settings as an instance applies them.
type InForce struct {
	Limits string `json:"limits"` // on, off or dry_run

	LimitUser      string   `json:"limit_user"`
	LimitAddress   string   `json:"limit_address"`
	LimitNetwork   string   `json:"limit_network"`
	LimitStrangers string   `json:"limit_strangers"`
	LimitInstance  string   `json:"limit_instance"`
	LimitRoutes    []string `json:"limit_routes"`
	ImageHosts     []string `json:"image_hosts"`
	Log            string   `json:"log"`
	Degrade        string   `json:"degrade"`
	SalesStopped   bool     `json:"sales_stopped"`
}

// HTTPOperator serves the operators' routes of the settings.
type HTTPOperator struct {
	store   *Store
	inForce func(Values) InForce
}

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL. inForce fills in what isn't set.
func NewHTTPOperator(store *Store, inForce func(Values) InForce) *HTTPOperator {
	return &HTTPOperator{store: store, inForce: inForce}
}

// Get answers GET /admin/api/v1/settings.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	stored, err := h.store.Get(c.UserContext())
	if err != nil {
		return err
	}
	return h.send(c, &stored)
}

// Change answers PATCH /admin/api/v1/settings.
func (h *HTTPOperator) Change(c *fiber.Ctx) error {
	var body struct {
		Values

		Version int64 `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	stored, err := h.store.Change(c.UserContext(), body.Values, nulls(c), version)
	if err != nil {
		return err
	}
	if stored.Uncertain {
		c.Status(http.StatusAccepted)
	}
	return h.send(c, &stored)
}

// nulls returns the names of the body's fields that are null.
func nulls(c *fiber.Ctx) (names []string) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(c.Request().Body(), &fields) // Bind has read it; an empty body has no fields
	for name, value := range fields {
		if string(value) == "null" {
			names = append(names, name)
		}
	}
	return names
}

func (h *HTTPOperator) send(c *fiber.Ctx, s *Stored) error {
	web.SetVersion(c, s.Version)
	return c.JSON(struct {
		Set       Values     `json:"set"`
		InForce   InForce    `json:"in_force"`
		UpdatedAt api.Millis `json:"updated_at,omitzero"`
		Version   int64      `json:"version"`
		Pending   bool       `json:"pending"`
	}{s.Set, h.inForce(s.Set), api.Millis(s.UpdatedMS), s.Version, s.Pending})
}
