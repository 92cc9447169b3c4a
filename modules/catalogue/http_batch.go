package catalogue

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
)

// PutSKUs answers PUT /admin/api/v1/skus:batch.
func (h *HTTPOperator) PutSKUs(c *fiber.Ctx) error {
	var body struct {
		Items []skuBody `json:"items" validate:"required,min=1,max=1000,dive"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	var checks problem.Checks
	skus := make([]SKU, len(body.Items))
	for i := range body.Items {
		h.pictures.Check(&checks, fmt.Sprintf("items[%d].image_url", i), body.Items[i].ImageURL)
		skus[i] = body.Items[i].sku()
	}
	if err := checks.Err(); err != nil {
		return err
	}
	skus, err := h.catalogue.PutSKUs(c.UserContext(), skus)
	if err != nil {
		return err
	}
	return c.JSON(batch[SKU]{skus})
}

// SetStocks answers PUT /admin/api/v1/skus:stock.
func (h *HTTPOperator) SetStocks(c *fiber.Ctx) error {
	var body struct {
		Items []StockLine `json:"items" validate:"required,min=1,max=1000,dive"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	skus, err := h.catalogue.SetStocks(c.UserContext(), body.Items)
	if err != nil {
		return err
	}
	return c.JSON(batch[SKU]{skus})
}

// PutPoints answers PUT /admin/api/v1/points:batch.
func (h *HTTPOperator) PutPoints(c *fiber.Ctx) error {
	var body struct {
		Items []Point `json:"items" validate:"required,min=1,max=1000,dive"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	points, err := h.catalogue.PutPoints(c.UserContext(), body.Items)
	if err != nil {
		return err
	}
	return c.JSON(batch[Point]{points})
}

// batch is the answer to a batch: the stored items, in the order of the request.
type batch[T any] struct {
	Items []T `json:"items"`
}

// SKU answers GET /admin/api/v1/skus/{sku_id}.
func (h *HTTPOperator) SKU(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	sku, err := h.catalogue.StoredSKU(c.UserContext(), id)
	if err != nil {
		return err
	}
	web.SetVersion(c, sku.Version)
	return c.JSON(sku)
}

// Point answers GET /admin/api/v1/points/{point_id}.
func (h *HTTPOperator) Point(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "point_id", "stock point")
	if err != nil {
		return err
	}
	point, err := h.catalogue.StoredPoint(c.UserContext(), id)
	if err != nil {
		return err
	}
	web.SetVersion(c, point.Version)
	return c.JSON(point)
}

// queryList reads the filter and the page of a list. more are parameters that only this list has.
func queryList(c *fiber.Ctx, more ...string) (f Filter, page api.KeyPage, err error) {
	if err = web.OnlyQuery(c, append(more, "page", "page_size", "after", "activity_id", "from", "to")...); err != nil {
		return f, page, err
	}
	for name, into := range map[string]*string{"shop_id": &f.Shop, "activity_id": &f.Activity} {
		if *into, err = web.Query(c, name); err != nil {
			return f, page, err
		}
		if *into != "" && !ids.Valid(*into) {
			return f, page, problem.Invalid(name, ids.Rule)
		}
	}
	if f.From, f.To, err = web.QuerySpan(c); err != nil {
		return f, page, err
	}
	page, err = web.ParseKeyPage(c)
	return f, page, err
}
