package vouchers

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOperator has the operators' routes of vouchers.
type HTTPOperator struct{ vouchers *Service }

// NewHTTPOperator returns the routes over vouchers.
func NewHTTPOperator(vouchers *Service) *HTTPOperator { return &HTTPOperator{vouchers} }

// Get answers GET /admin/api/v1/vouchers/{code}.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	v, err := h.vouchers.Get(c.UserContext(), web.Param(c, "code"))
	if err != nil {
		return err
	}
	return c.JSON(v)
}

// Redeem answers POST /admin/api/v1/vouchers/{code}/redeem.
func (h *HTTPOperator) Redeem(c *fiber.Ctx) error {
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
