package catalogue

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPBuyer has the routes of a user's addresses.
type HTTPBuyer struct{ addresses *Addresses }

// NewHTTPBuyer returns the routes over addresses.
func NewHTTPBuyer(addresses *Addresses) *HTTPBuyer { return &HTTPBuyer{addresses} }

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

// List answers GET /api/v1/addresses.
func (h *HTTPBuyer) List(c *fiber.Ctx) error {
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

// Create answers POST /api/v1/addresses.
func (h *HTTPBuyer) Create(c *fiber.Ctx) error {
	address, err := bindAddress(c, "")
	if err != nil {
		return err
	}
	if address, err = h.addresses.Create(c.UserContext(), web.Who(c).User, address); err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(address)
}

// Update answers PUT /api/v1/addresses/{address_id}.
func (h *HTTPBuyer) Update(c *fiber.Ctx) error {
	address, err := bindAddress(c, web.Param(c, "address_id"))
	if err != nil {
		return err
	}
	if address, err = h.addresses.Update(c.UserContext(), web.Who(c).User, address); err != nil {
		return err
	}
	return c.JSON(address)
}

// Remove answers DELETE /api/v1/addresses/{address_id}.
func (h *HTTPBuyer) Remove(c *fiber.Ctx) error {
	if err := h.addresses.Delete(c.UserContext(), web.Who(c).User, web.Param(c, "address_id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
