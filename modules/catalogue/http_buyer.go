package catalogue

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
	"onrush/web/problem"
)

// HTTPBuyer has the routes of a user's addresses.
type HTTPBuyer struct{ addresses *Addresses }

// NewHTTPBuyer returns the routes over addresses.
func NewHTTPBuyer(addresses *Addresses) *HTTPBuyer { return &HTTPBuyer{addresses} }

// Register adds the routes to the buyers' group, /api/v1.
func (h *HTTPBuyer) Register(r fiber.Router) {
	r.Get("/addresses", h.list)
	r.Post("/addresses", h.create)
	r.Put("/addresses/:address_id", h.update)
	r.Delete("/addresses/:address_id", h.remove)
}

// bindAddress reads an address; an id in the body must equal the id in the path.
func bindAddress(c *fiber.Ctx, id string) (Address, error) {
	var address Address
	if err := web.Bind(c, &address); err != nil {
		return Address{}, err
	}
	if address.AddressID != "" && address.AddressID != id {
		return Address{}, problem.Invalid("address_id", "must be empty: the server assigns it")
	}
	address.AddressID = id
	return address, nil
}

func (h *HTTPBuyer) list(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	list, err := h.addresses.List(c.UserContext(), web.Who(c).User, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

func (h *HTTPBuyer) create(c *fiber.Ctx) error {
	address, err := bindAddress(c, "")
	if err != nil {
		return err
	}
	if address, err = h.addresses.Create(c.UserContext(), web.Who(c).User, address); err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(address)
}

func (h *HTTPBuyer) update(c *fiber.Ctx) error {
	address, err := bindAddress(c, web.Param(c, "address_id"))
	if err != nil {
		return err
	}
	if address, err = h.addresses.Update(c.UserContext(), web.Who(c).User, address); err != nil {
		return err
	}
	return c.JSON(address)
}

func (h *HTTPBuyer) remove(c *fiber.Ctx) error {
	if err := h.addresses.Delete(c.UserContext(), web.Who(c).User, web.Param(c, "address_id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
