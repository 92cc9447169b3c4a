package admin

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/seckill"
	"onrush/web"
	"onrush/web/api"
)

// longWithin is the deadline of routes that read all orders of an activity, or write all of its stock.
const longWithin = time.Minute

// HTTPOperator serves the operators' routes of flash sales.
type HTTPOperator struct {
	activities *Activities
	reporter   *Reporter
}

// NewHTTPOperator returns the routes; Register adds them to a router.
func NewHTTPOperator(activities *Activities, reporter *Reporter) *HTTPOperator {
	return &HTTPOperator{activities: activities, reporter: reporter}
}

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	long := web.Within(longWithin)
	r.Get("/activities", h.list)
	r.Post("/activities", long, h.create)
	r.Get("/activities/:activity_id", h.get)
	r.Put("/activities/:activity_id", long, h.update)
	r.Post("/activities/:activity_id/publish", web.NoBody, long, h.publish)
	r.Post("/activities/:activity_id/offline", web.NoBody, h.offline)
	r.Post("/activities/:activity_id/reload", web.NoBody, long, h.reload)
	r.Delete("/activities/:activity_id", h.delete)
	r.Get("/activities/:activity_id/stats", web.Within(statsRouteWithin), h.stats)
}

// activityBody is an activity as an operator sends it. An absent limit means no limit.
type activityBody struct {
	Title         string     `json:"title" validate:"required,max=200,line"`
	Shop          string     `json:"shop_id" validate:"required,id"`
	StartsAt      api.Millis `json:"starts_at" validate:"required"`
	EndsAt        api.Millis `json:"ends_at" validate:"required"`
	PayWithinS    int64      `json:"pay_within_s" validate:"required,min=1,max=31536000"`
	PurchaseLimit *int64     `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`
	PermitRatio   *float64   `json:"permit_ratio" validate:"omitempty,eq=-1|gte=1,max=100"`
	SKUs          []skuBody  `json:"skus" validate:"required,min=1,max=100,dive"`
}

type skuBody struct {
	SKU           string      `json:"sku_id" validate:"required,id"`
	FlashPrice    *int64      `json:"flash_price" validate:"required,min=0,max=1000000000000"`
	PurchaseLimit *int64      `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`
	Stock         []stockBody `json:"stock" validate:"required,min=1,max=1000,dive"`
}

type stockBody struct {
	Point    string `json:"point_id" validate:"required,id"`
	Quantity *int64 `json:"quantity" validate:"required,min=0,max=1000000000"`
}

func bindActivity(c *fiber.Ctx) (*seckill.Activity, error) {
	var body activityBody
	if err := web.Bind(c, &body); err != nil {
		return nil, err
	}
	a := &seckill.Activity{
		Title: body.Title, Shop: body.Shop, StartsMS: int64(body.StartsAt), EndsMS: int64(body.EndsAt),
		PayWithinS: body.PayWithinS, PurchaseLimit: orUnlimited(body.PurchaseLimit), PermitRatio: seckill.Unlimited,
	}
	if body.PermitRatio != nil {
		a.PermitRatio = *body.PermitRatio
	}
	for _, s := range body.SKUs {
		sku := seckill.ActivitySKU{SKU: s.SKU, FlashPrice: *s.FlashPrice, PurchaseLimit: orUnlimited(s.PurchaseLimit)}
		for _, p := range s.Stock {
			sku.Stock = append(sku.Stock, seckill.PointStock{Point: p.Point, Total: *p.Quantity})
		}
		a.SKUs = append(a.SKUs, sku)
	}
	return a, nil
}

func orUnlimited(limit *int64) int64 {
	if limit == nil {
		return seckill.Unlimited
	}
	return *limit
}

// adminActivity is an activity as operators see it.
type adminActivity struct {
	ActivityID    string        `json:"activity_id"`
	Title         string        `json:"title"`
	Shop          string        `json:"shop_id"`
	StartsAt      api.Millis    `json:"starts_at"`
	EndsAt        api.Millis    `json:"ends_at"`
	PayWithinS    int64         `json:"pay_within_s"`
	PurchaseLimit int64         `json:"purchase_limit"`
	PermitRatio   float64       `json:"permit_ratio"`
	State         seckill.State `json:"state"`
	Lane          int           `json:"lane"`
	CreatedAt     api.Millis    `json:"created_at"`
	SKUs          []adminSKU    `json:"skus"`
}

type adminSKU struct {
	SKU           string       `json:"sku_id"`
	FlashPrice    int64        `json:"flash_price"`
	PurchaseLimit int64        `json:"purchase_limit"`
	Stock         []adminStock `json:"stock"`
}

type adminStock struct {
	Point    string `json:"point_id"`
	Quantity int64  `json:"quantity"`
}

func showAdmin(a *seckill.Activity) adminActivity {
	shown := adminActivity{
		ActivityID: a.ID, Title: a.Title, Shop: a.Shop, StartsAt: api.Millis(a.StartsMS), EndsAt: api.Millis(a.EndsMS),
		PayWithinS: a.PayWithinS, PurchaseLimit: a.PurchaseLimit, PermitRatio: a.PermitRatio, State: a.State,
		Lane: a.Lane, CreatedAt: api.Millis(a.CreatedMS), SKUs: make([]adminSKU, 0, len(a.SKUs)),
	}
	for _, g := range a.SKUs {
		sku := adminSKU{
			SKU: g.SKU, FlashPrice: g.FlashPrice, PurchaseLimit: g.PurchaseLimit,
			Stock: make([]adminStock, 0, len(g.Stock)),
		}
		for _, p := range g.Stock {
			sku.Stock = append(sku.Stock, adminStock{Point: p.Point, Quantity: p.Total})
		}
		shown.SKUs = append(shown.SKUs, sku)
	}
	return shown
}

func answerActivity(c *fiber.Ctx, status int, a *seckill.Activity, err error) error {
	if err != nil {
		return err
	}
	return c.Status(status).JSON(showAdmin(a))
}

func (h *HTTPOperator) list(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "state"); err != nil {
		return err
	}
	state, err := web.Query(c, "state", string(seckill.Draft), string(seckill.Published), string(seckill.Offline))
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	activities, total, err := h.activities.List(c.UserContext(), seckill.State(state), page)
	if err != nil {
		return err
	}
	list := api.List[adminActivity]{Page: page.Page, PageSize: page.Size, Total: &total}
	for _, a := range activities {
		list.Items = append(list.Items, showAdmin(a))
	}
	return c.JSON(list)
}

func (h *HTTPOperator) create(c *fiber.Ctx) error {
	a, err := bindActivity(c)
	if err != nil {
		return err
	}
	a, err = h.activities.Create(c.UserContext(), a)
	return answerActivity(c, fiber.StatusCreated, a, err)
}

func (h *HTTPOperator) get(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Get(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

func (h *HTTPOperator) update(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := bindActivity(c)
	if err != nil {
		return err
	}
	a.ID = id
	a, err = h.activities.Update(c.UserContext(), a)
	return answerActivity(c, fiber.StatusOK, a, err)
}

func (h *HTTPOperator) publish(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Publish(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

func (h *HTTPOperator) offline(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Offline(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

func (h *HTTPOperator) reload(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, err := h.activities.Reload(c.UserContext(), id)
	return answerActivity(c, fiber.StatusOK, a, err)
}

func (h *HTTPOperator) stats(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	a, fresh, err := h.activities.GetOrCached(c.UserContext(), id)
	if err != nil {
		return err
	}
	stats, err := h.reporter.Stats(c.UserContext(), a, !fresh)
	if err != nil {
		return err
	}
	return c.JSON(stats)
}

func (h *HTTPOperator) delete(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	if err := h.activities.Delete(c.UserContext(), id); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
