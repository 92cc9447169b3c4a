package vouchers

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOperator has the operators' routes of vouchers.
type HTTPOperator struct{ vouchers *Service }

// NewHTTPOperator returns the routes over vouchers.
func NewHTTPOperator(vouchers *Service) *HTTPOperator { return &HTTPOperator{vouchers} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	r.Get("/vouchers/:code", h.get)
	r.Post("/vouchers/:code/redeem", h.redeem)
}

func (h *HTTPOperator) get(c *fiber.Ctx) error {
	v, err := h.vouchers.Get(c.UserContext(), web.Param(c, "code"))
	if err != nil {
		return err
	}
	return c.JSON(v)
}

func (h *HTTPOperator) redeem(c *fiber.Ctx) error {
	var body struct {
		Where string `json:"where" validate:"required,max=100,line"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	v, err := h.vouchers.Redeem(c.UserContext(), web.Who(c).User, web.ClientIP(c), web.Param(c, "code"), body.Where)
	if err != nil {
		return err
	}
	return c.JSON(v)
}
