package vouchers

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of vouchers.
type HTTPOperator struct{ vouchers *Service }

// NewHTTPOperator returns the routes over vouchers.
func NewHTTPOperator(vouchers *Service) *HTTPOperator { return &HTTPOperator{vouchers} }

// Pools answers GET /admin/api/v1/vouchers.
func (h *HTTPOperator) Pools(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size", "waiting", "shop_id"); err != nil {
		return err
	}
	waiting, err := web.Query(c, "waiting", "", "true", "false")
	if err != nil {
		return err
	}
	shop, err := web.QueryID(c, "shop_id")
	if err != nil {
		return err
	}
	after, size, err := web.ParseAfter(c)
	if err != nil {
		return err
	}
	list, err := h.vouchers.Pools(c.UserContext(), shop, waiting == "true", after, size)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Import answers POST /admin/api/v1/skus/{sku_id}/vouchers:import.
func (h *HTTPOperator) Import(c *fiber.Ctx) error {
	sku, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	var body struct {
		Codes []string `json:"codes" validate:"max=10000"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	if body.Codes == nil {
		return problem.Invalid("codes", "is required")
	}
	done, err := h.vouchers.Import(c.UserContext(), sku, body.Codes)
	if err != nil {
		return err
	}
	return c.JSON(done)
}

// Withdraw answers POST /admin/api/v1/skus/{sku_id}/vouchers:withdraw.
func (h *HTTPOperator) Withdraw(c *fiber.Ctx) error {
	sku, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	var body struct {
		Codes []string `json:"codes" validate:"max=10000"`
		All   bool     `json:"all"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	done, err := h.vouchers.Withdraw(c.UserContext(), sku, body.All, body.Codes)
	if err != nil {
		return err
	}
	return c.JSON(done)
}

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
