package channels

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPBuyer has the buyers' route of the channels.
type HTTPBuyer struct{ on []View }

// NewHTTPBuyer returns the route over the channels that are on. They change only with the settings.
func NewHTTPBuyer(on []View) *HTTPBuyer { return &HTTPBuyer{on} }

// auto is the device of a query that leaves it to the headers of the request.
const auto = "auto"

// List answers GET /api/v1/channels: the ways to pay on all devices, or on one.
func (h *HTTPBuyer) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "device"); err != nil {
		return err
	}
	device, err := web.Query(c, "device", "", string(Computer), string(Phone), string(App), auto)
	if err != nil {
		return err
	}
	on := h.on
	switch device {
	case "":
	case auto:
		on = For(on, ClientOf(c.Get(fiber.HeaderUserAgent), c.Get("Sec-CH-UA-Mobile")))
		c.Vary(fiber.HeaderUserAgent, "Sec-CH-UA-Mobile")
	default:
		on = For(on, Client{Device: Device(device)})
	}
	return c.JSON(map[string]any{"items": on})
}
