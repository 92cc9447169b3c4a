package fulfilment

import (
	"bytes"
	"mime"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/idempotency"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes that mark orders.
type HTTPOperator struct {
	marker *Marker
	show   fiber.Handler
}

// NewHTTPOperator returns the routes. show answers with the order of the path.
func NewHTTPOperator(marker *Marker, show fiber.Handler) *HTTPOperator {
	return &HTTPOperator{marker, show}
}

// Pack answers POST /admin/api/v1/orders/{order_number}/pack.
func (h *HTTPOperator) Pack(c *fiber.Ctx) error { return h.mark(c, Mark{State: order.Packed}) }

// Ship answers POST /admin/api/v1/orders/{order_number}/ship.
func (h *HTTPOperator) Ship(c *fiber.Ctx) error {
	var body struct {
		Carrier        string `json:"carrier" validate:"required,max=64,line,said"`
		TrackingNumber string `json:"tracking_number" validate:"max=64,visible"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	return h.mark(c, Mark{State: order.Shipped, Carrier: body.Carrier, TrackingNumber: body.TrackingNumber})
}

// Deliver answers POST /admin/api/v1/orders/{order_number}/deliver.
func (h *HTTPOperator) Deliver(c *fiber.Ctx) error { return h.mark(c, Mark{State: order.Delivered}) }

func (h *HTTPOperator) mark(c *fiber.Ctx, mark Mark) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	if idempotency.WasCarriedOut(c.UserContext()) {
		return h.show(c)
	}
	if err := h.marker.Mark(c.UserContext(), n, operatorOf(c), mark, idempotency.KeepDone); err != nil {
		return err
	}
	return h.show(c)
}

// ShipFile answers POST /admin/api/v1/orders:ship. The body is a file.
func (h *HTTPOperator) ShipFile(c *fiber.Ctx) error {
	request := c.Request()
	mediaType, _, _ := mime.ParseMediaType(string(request.Header.ContentType()))
	body, coding := request.Body(), request.Header.ContentEncoding() // c.Body would unpack it
	switch {
	case len(coding) > 0 && !bytes.EqualFold(coding, []byte("identity")):
		return problem.Errorf(web.CodeUnsupportedMedia, "The body must not be compressed.")
	case mediaType != "text/csv":
		return problem.Errorf(web.CodeUnsupportedMedia, "The body must be a file, with the content type text/csv.")
	case len(body) > MaxFileBytes:
		return problem.Errorf(web.CodeTooLarge, "The file must have at most %d bytes.", MaxFileBytes)
	}
	marked, err := h.marker.MarkFile(c.UserContext(), operatorOf(c), string(body))
	if err != nil {
		return err
	}
	return c.JSON(marked)
}

func operatorOf(c *fiber.Ctx) order.LogLine {
	return order.LogLine{Actor: "operator:" + web.Who(c).User, ClientIP: web.ClientIP(c)}
}
