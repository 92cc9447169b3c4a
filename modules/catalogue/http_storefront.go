package catalogue

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPStorefront has the buyers' routes that show skus, stock points and regions.
type HTTPStorefront struct{ catalogue *Catalogue }

// NewHTTPStorefront returns the routes over catalogue.
func NewHTTPStorefront(catalogue *Catalogue) *HTTPStorefront { return &HTTPStorefront{catalogue} }

// shopSKU is a sku as buyers see it: how many units a shop has is its own business.
type shopSKU struct {
	ID          string      `json:"sku_id"`
	Title       string      `json:"title"`
	Shop        string      `json:"shop_id"`
	ImageURL    string      `json:"image_url"`
	Description string      `json:"description"`
	Kind        Kind        `json:"kind"`
	Price       int64       `json:"price"`
	Currency    string      `json:"currency"`
	Freight     FreightRule `json:"freight"`
	InStock     bool        `json:"in_stock"`
	Required    FieldNames  `json:"required_fields,omitempty"`
}

func showSKU(s SKU) shopSKU {
	return shopSKU{
		ID: s.ID, Title: s.Title, Shop: s.Shop, ImageURL: s.ImageURL, Description: s.Description, Kind: s.Kind,
		Price: s.Price, Currency: s.Currency, Freight: s.Freight, InStock: s.Stock > 0, Required: s.RequiredFields,
	}
}

// shopPoint is a stock point as buyers see it.
type shopPoint struct {
	ID           string   `json:"point_id"`
	Name         string   `json:"name"`
	Regions      []string `json:"regions"`
	FreightExtra int64    `json:"freight_extra"`
	Pickup       bool     `json:"pickup"`
	Address      string   `json:"address,omitempty"`
	Hours        string   `json:"hours,omitempty"`
}

func showPoint(p Point) shopPoint {
	return shopPoint{
		ID: p.ID, Name: p.Name, Regions: p.Regions, FreightExtra: p.FreightExtra, Pickup: p.Pickup,
		Address: p.Address, Hours: p.Hours,
	}
}

// shopRegion is a region that stock points serve.
type shopRegion struct {
	Region string `json:"region"`
}

func showRegion(region string) shopRegion { return shopRegion{region} }

// afterID reads the page of a list by id.
func afterID(c *fiber.Ctx) (After, error) {
	after, size, err := web.ParseAfter(c)
	if err == nil && after != "" && !ids.Valid(after) {
		err = problem.Invalid("after", ids.Rule)
	}
	return After{Text: after, Size: size}, err
}

// SKUs answers GET /api/v1/skus.
func (h *HTTPStorefront) SKUs(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size", "shop_id"); err != nil {
		return err
	}
	page, err := afterID(c)
	if err != nil {
		return err
	}
	shop, err := web.Query(c, "shop_id")
	if err != nil {
		return err
	}
	if shop != "" && !ids.Valid(shop) {
		return problem.Invalid("shop_id", ids.Rule)
	}
	list, err := h.catalogue.SKUsAfter(c.UserContext(), shop, page)
	return sendList(c, list, showSKU, err)
}

// SKU answers GET /api/v1/skus/{sku_id}.
func (h *HTTPStorefront) SKU(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "sku_id", "sku")
	if err != nil {
		return err
	}
	sku, err := h.catalogue.SKU(c.UserContext(), id)
	if err != nil {
		return err
	}
	return web.SendTagged(c, showSKU(sku))
}

// Points answers GET /api/v1/points.
func (h *HTTPStorefront) Points(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size", "pickup"); err != nil {
		return err
	}
	page, err := afterID(c)
	if err != nil {
		return err
	}
	text, err := web.Query(c, "pickup", "", "true", "false")
	if err != nil {
		return err
	}
	var pickup *bool
	if text != "" {
		pickup = new(text == "true")
	}
	list, err := h.catalogue.PointsAfter(c.UserContext(), pickup, page)
	return sendList(c, list, showPoint, err)
}

// Regions answers GET /api/v1/regions.
func (h *HTTPStorefront) Regions(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size"); err != nil {
		return err
	}
	after, size, err := web.ParseAfter(c)
	if err != nil {
		return err
	}
	list, err := h.catalogue.RegionsAfter(c.UserContext(), After{Text: after, Size: size})
	return sendList(c, list, showRegion, err)
}

// sendList answers with what show makes of each item of a list.
func sendList[T, V any](c *fiber.Ctx, list api.List[T], show func(T) V, err error) error {
	if err != nil {
		return err
	}
	shown := api.List[V]{PageSize: list.PageSize, NextCursor: list.NextCursor}
	for _, item := range list.Items {
		shown.Items = append(shown.Items, show(item))
	}
	return web.SendTagged(c, shown)
}
