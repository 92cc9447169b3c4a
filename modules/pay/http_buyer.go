package pay

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPBuyer has the buyers' routes of payments.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the routes over service.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service} }

// Channels lists the ways to pay. They change only with the settings.
func (h *HTTPBuyer) Channels(c *fiber.Ctx) error {
	return c.JSON(map[string]any{"items": h.service.gateways.Channels()})
}

// Begin answers POST /api/v1/payments.
func (h *HTTPBuyer) Begin(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req Request
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	p, err := h.service.Begin(c.UserContext(), web.Who(c).User, key, req)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(p)
}

// Get answers GET /api/v1/payments/{pay_number}.
func (h *HTTPBuyer) Get(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "pay_number"))
	if err != nil {
		return problem.NotFound("payment")
	}
	p, err := h.service.Get(c.UserContext(), web.Who(c).User, n)
	if err != nil {
		return err
	}
	return c.JSON(p)
}

// HTTPWebhooks has the route for the gateways' notifications.
type HTTPWebhooks struct {
	gateways  Gateways
	processor *Processor
	refusals  *refusals
}

// NewHTTPWebhooks returns the route.
func NewHTTPWebhooks(gateways Gateways, processor *Processor) *HTTPWebhooks {
	return &HTTPWebhooks{
		gateways: gateways, processor: processor, refusals: newRefusals(processor.now, processor.log),
	}
}

// Notify sends the gateway's success answer only after the commit.
func (h *HTTPWebhooks) Notify(c *fiber.Ctx) error {
	gateway, ok := h.gateways[web.Param(c, "channel")]
	if !ok {
		return problem.NotFound("channel")
	}
	header := http.Header{}
	c.Request().Header.VisitAll(func(key, value []byte) { header.Add(string(key), string(value)) })
	body := append([]byte(nil), c.BodyRaw()...)
	n, err := gateway.Verify(header, body)
	if err != nil && !errors.Is(err, ErrNotPayment) {
		h.refusals.report(c.UserContext(), "notification", gateway.Channel(), err)
	}
	switch {
	case errors.Is(err, ErrSignature):
		return &problem.Error{Code: problem.CodeUnauthorized, Detail: "The signature is wrong or too old.", Err: err}
	case errors.Is(err, ErrNotPayment):
		return acknowledge(c, gateway)
	case err != nil:
		return problem.Unavailable(err, "The notification can't be read.")
	}
	if err := h.processor.Process(c.UserContext(), gateway.Channel(), n); err != nil {
		return err
	}
	return acknowledge(c, gateway)
}

func acknowledge(c *fiber.Ctx, gateway Gateway) error {
	contentType, body := gateway.Acknowledge()
	c.Set(fiber.HeaderContentType, contentType)
	return c.Send(body)
}
