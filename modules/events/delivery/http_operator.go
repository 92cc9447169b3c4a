package delivery

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of endpoints and deliveries.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the routes over service.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// List answers GET /admin/api/v1/endpoints.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	list, err := h.service.List(c.UserContext(), page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Get answers GET /admin/api/v1/endpoints/{endpoint_id}.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	endpoint, err := h.service.Get(c.UserContext(), id)
	if err != nil {
		return err
	}
	web.SetVersion(c, endpoint.Version)
	return c.JSON(endpoint)
}

// Put answers PUT /admin/api/v1/endpoints/{endpoint_id}.
func (h *HTTPOperator) Put(c *fiber.Ctx) error {
	var body struct {
		URL     string   `json:"url" validate:"required,max=2000"`
		Types   []string `json:"types" validate:"max=50,unique"`
		Enabled *bool    `json:"enabled"`
		Version int64    `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	endpoint, made, err := h.service.Put(c.UserContext(), web.Param(c, "endpoint_id"), Settings{
		URL: body.URL, Types: body.Types, Enabled: body.Enabled == nil || *body.Enabled, Version: version,
	})
	if err != nil {
		return err
	}
	if made {
		c.Status(fiber.StatusCreated)
	}
	web.SetVersion(c, endpoint.Version)
	return c.JSON(endpoint)
}

// Delete answers DELETE /admin/api/v1/endpoints/{endpoint_id}.
func (h *HTTPOperator) Delete(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	if err := h.service.Delete(c.UserContext(), id, version); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// Rotate answers POST /admin/api/v1/endpoints/{endpoint_id}/rotate.
func (h *HTTPOperator) Rotate(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	endpoint, err := h.service.Rotate(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(endpoint)
}

// Deliveries answers GET /admin/api/v1/endpoints/{endpoint_id}/deliveries.
func (h *HTTPOperator) Deliveries(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "status", "after", "page_size"); err != nil {
		return err
	}
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	status, err := web.Query(c, "status", "", waiting, delivered, failed)
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.service.Log(c.UserContext(), id, status, page.Before, page.Size)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// ResendSpan answers POST /admin/api/v1/endpoints/{endpoint_id}/resend.
func (h *HTTPOperator) ResendSpan(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	var body struct {
		From  api.Millis `json:"from"`
		To    api.Millis `json:"to"`
		After string     `json:"after"`
		UpTo  string     `json:"up_to"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	span := Span{From: body.From, To: body.To, ByID: body.After != ""}
	for _, f := range []struct {
		name, text string
		into       *int64
	}{{"after", body.After, &span.After}, {"up_to", body.UpTo, &span.UpTo}} {
		if *f.into, err = parseEventID(f.name, f.text); err != nil {
			return err
		}
	}
	endpoint, err := h.service.ResendSpan(c.UserContext(), id, span)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(endpoint)
}

// parseEventID reads the id of an event in a body; "" is 0.
func parseEventID(field, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != text {
		return 0, problem.Invalid(field, "must be the id of an event")
	}
	return id, nil
}

// Test answers POST /admin/api/v1/endpoints/{endpoint_id}/test.
func (h *HTTPOperator) Test(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "endpoint_id", "endpoint")
	if err != nil {
		return err
	}
	test, err := h.service.Test(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(test)
}

// Delivery answers GET /admin/api/v1/deliveries/{delivery_id}.
func (h *HTTPOperator) Delivery(c *fiber.Ctx) error {
	delivery, err := h.service.Delivery(c.UserContext(), web.Param(c, "delivery_id"))
	if err != nil {
		return err
	}
	return c.JSON(delivery)
}

// Resend answers POST /admin/api/v1/deliveries/{delivery_id}/resend.
func (h *HTTPOperator) Resend(c *fiber.Ctx) error {
	delivery, err := h.service.Resend(c.UserContext(), web.Param(c, "delivery_id"))
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(delivery)
}
