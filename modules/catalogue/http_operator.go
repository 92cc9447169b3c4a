package catalogue

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of skus and stock points.
type HTTPOperator struct {
	catalogue *Catalogue
	pictures  web.Pictures
}

// NewHTTPOperator returns the routes over catalogue, whose skus have pictures at the hosts that pictures allows.
func NewHTTPOperator(catalogue *Catalogue, pictures web.Pictures) *HTTPOperator {
	return &HTTPOperator{catalogue, pictures}
}

// skuBody is a sku in a request. Price is a pointer, so that a missing price differs from 0.
type skuBody struct {
	ID          string      `json:"sku_id"`
	Title       string      `json:"title"`
	Shop        string      `json:"shop_id"`
	ImageURL    string      `json:"image_url" validate:"omitempty,max=500,picture"`
	Description string      `json:"description"`
	Kind        Kind        `json:"kind"`
	Price       *int64      `json:"price" validate:"required"`
	Currency    string      `json:"currency"`
	Stock       int64       `json:"stock"`
	Freight     FreightRule `json:"freight"`
	Required    FieldNames  `json:"required_fields"`
	Version     int64       `json:"version" validate:"min=0"`

	// StockVersion is ignored, so that an answer can be sent back.
	StockVersion int64 `json:"stock_version" validate:"min=0,max=9007199254740991"`
}

func (b *skuBody) sku() SKU {
	return SKU{
		ID: b.ID, Title: b.Title, Shop: b.Shop, ImageURL: b.ImageURL, Description: b.Description,
		Kind: b.Kind, Price: *b.Price, Currency: b.Currency, Stock: b.Stock, Freight: b.Freight, Version: b.Version,
		RequiredFields: b.Required,
	}
}

// PutSKU answers PUT /admin/api/v1/skus/{sku_id}.
func (h *HTTPOperator) PutSKU(c *fiber.Ctx) error {
	var body skuBody
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	id := web.Param(c, "sku_id")
	if body.ID != "" && body.ID != id {
		return problem.Invalid("sku_id", "must be the id in the path")
	}
	body.ID = id
	var checks problem.Checks
	h.pictures.Check(&checks, "image_url", body.ImageURL)
	err := checks.Err()
	if err != nil {
		return err
	}
	if body.Version, err = web.Version(c, body.Version); err != nil {
		return err
	}
	sku, err := h.catalogue.PutSKU(c.UserContext(), body.sku())
	if err != nil {
		return err
	}
	web.SetVersion(c, sku.Version)
	return c.JSON(sku)
}

// ChangeStock answers POST /admin/api/v1/skus/{sku_id}/stock.
func (h *HTTPOperator) ChangeStock(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	if _, err := web.IdempotencyKey(c); err != nil {
		return err
	}
	var body struct {
		Delta int64 `json:"delta" validate:"required,min=-1000000000,max=1000000000"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	sku, err := h.catalogue.ChangeStock(c.UserContext(), id, body.Delta)
	if err != nil {
		return err
	}
	return c.JSON(sku)
}

// SetStock answers PUT /admin/api/v1/skus/{sku_id}/stock.
func (h *HTTPOperator) SetStock(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	var body struct {
		Stock   *int64 `json:"stock" validate:"required,min=0,max=1000000000000"`
		Version int64  `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	sku, err := h.catalogue.SetStock(c.UserContext(), id, version, *body.Stock)
	if err != nil {
		return err
	}
	web.SetVersion(c, sku.StockVersion)
	return c.JSON(sku)
}

// DeleteSKU answers DELETE /admin/api/v1/skus/{sku_id}.
func (h *HTTPOperator) DeleteSKU(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	if err := h.catalogue.DeleteSKU(c.UserContext(), id, version); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// DeletePoint answers DELETE /admin/api/v1/points/{point_id}.
func (h *HTTPOperator) DeletePoint(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "point_id", "stock point")
	if err != nil {
		return err
	}
	version, err := web.Version(c, 0)
	if err != nil {
		return err
	}
	if err := h.catalogue.DeletePoint(c.UserContext(), id, version); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// SKUs answers GET /admin/api/v1/skus.
func (h *HTTPOperator) SKUs(c *fiber.Ctx) error {
	f, page, err := queryList(c, "shop_id")
	if err != nil {
		return err
	}
	list, err := h.catalogue.SKUs(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// PutPoint answers PUT /admin/api/v1/points/{point_id}.
func (h *HTTPOperator) PutPoint(c *fiber.Ctx) error {
	var point Point
	if err := web.Bind(c, &point); err != nil {
		return err
	}
	id := web.Param(c, "point_id")
	if point.ID != "" && point.ID != id {
		return problem.Invalid("point_id", "must be the id in the path")
	}
	point.ID = id
	var err error
	if point.Version, err = web.Version(c, point.Version); err != nil {
		return err
	}
	if point, err = h.catalogue.PutPoint(c.UserContext(), point); err != nil {
		return err
	}
	web.SetVersion(c, point.Version)
	return c.JSON(point)
}

// Points answers GET /admin/api/v1/points.
func (h *HTTPOperator) Points(c *fiber.Ctx) error {
	f, page, err := queryList(c)
	if err != nil {
		return err
	}
	list, err := h.catalogue.Points(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Regions answers GET /admin/api/v1/regions.
func (h *HTTPOperator) Regions(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size", "shared"); err != nil {
		return err
	}
	after, size, err := web.ParseAfter(c)
	if err != nil {
		return err
	}
	shared, err := web.Query(c, "shared", "", "true", "false")
	if err != nil {
		return err
	}
	list, err := h.catalogue.ClaimsAfter(c.UserContext(), shared == "true", After{Text: after, Size: size})
	if err != nil {
		return err
	}
	return c.JSON(list)
}
