package seckill

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/ids"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/segments"
	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of flash sales.
type HTTPBuyer struct {
	service *Service
	cache   *ActivityCache
	counts  *StockCache
	clock   *clock.Clock
	stopped func() bool // whether no sale takes orders
	encoded *encodedAnswers
}

// NewHTTPBuyer returns the handlers; app/server/routes.go gives each its URL. stopped reports whether no sale takes
// orders.
func NewHTTPBuyer(
	service *Service, cache *ActivityCache, counts *StockCache, clock *clock.Clock, stopped func() bool,
) *HTTPBuyer {
	return &HTTPBuyer{
		service: service, cache: cache, counts: counts, clock: clock, stopped: stopped,
		encoded: newEncodedAnswers(clock, &cache.changes),
	}
}

const (
	// countsFor is the maximum age of the counts that are shown.
	countsFor = time.Second
	// countsWithin bounds the reads of the counts of a whole list, since each may wait for a Redis that
	// hangs.
	countsWithin = time.Second
	// maxPointIDs bounds the stock points that the view of one activity lists, over all of its skus. The view must stay
	// small, since a crowd reads it.
	maxPointIDs = 200
)

// activityView is an activity as buyers see it.
type activityView struct {
	ActivityID string     `json:"activity_id"`
	Title      string     `json:"title"`
	Shop       string     `json:"shop_id"`
	StartsAt   api.Millis `json:"starts_at"`
	EndsAt     api.Millis `json:"ends_at"`
	State      SaleState  `json:"state"`
	Paused     bool       `json:"paused"`  // by an operator
	Stopped    bool       `json:"stopped"` // as all sales are
	ServerTime api.Millis `json:"server_time"`

	HumanCheck  human.Kind `json:"human_check"`
	WaitingRoom bool       `json:"waiting_room"` // whether a path needs a place

	Segments    segments.Set    `json:"segments,omitempty"` // whose buyers may buy; none: everybody
	Eligibility *eligible.Shown `json:"eligibility,omitempty"`
	LimitKey    string          `json:"limit_key,omitempty"` // the claim by which the limits count
	// ReservedFor says for whom the reserved units of the skus are; it is absent after its time.
	ReservedFor *eligible.ReservedShown `json:"reserved_for,omitempty"`

	// OfferWithinS is how long units are offered to a buyer who waits. A sale without it has no waiting list.
	OfferWithinS int64 `json:"offer_within_s,omitempty"`
	// Holds says that operators may have set units aside for the caller.
	Holds bool `json:"holds,omitempty"`

	// BasketMax is how many skus one order may take; a sale without it sells one in an order.
	BasketMax int `json:"basket_max,omitempty"`

	Mode          Mode   `json:"mode,omitempty"`
	PurchaseLimit int64  `json:"purchase_limit"` // of all skus together; Unlimited: any number
	PayWithinS    int64  `json:"pay_within_s"`
	Description   string `json:"description,omitempty"`
	ImageURL      string `json:"image_url,omitempty"`
	Images        Images `json:"images,omitempty"`

	SKUs []skuView `json:"skus"`
}

type skuView struct {
	SKU           string                `json:"sku_id"`
	Title         string                `json:"title"`
	ImageURL      string                `json:"image_url"`
	Description   string                `json:"description,omitempty"` // in the view of one activity
	Kind          catalogue.Kind        `json:"kind"`
	ListPrice     int64                 `json:"list_price"`
	FlashPrice    int64                 `json:"flash_price"`
	Currency      string                `json:"currency"`
	Freight       catalogue.FreightRule `json:"freight"`
	PointIDs      []string              `json:"point_ids,omitempty"`       // of physical goods in one activity's view
	SoldOutPoints []string              `json:"sold_out_points,omitempty"` // of PointIDs
	Required      catalogue.FieldNames  `json:"required_fields,omitempty"`
	Parts         Parts                 `json:"parts,omitempty"` // of a bundle
	PurchaseLimit int64                 `json:"purchase_limit"`
	Total         int64                 `json:"total"`
	Remaining     *int64                `json:"remaining,omitempty"` // absent while Redis is unavailable
	Reserved      int64                 `json:"reserved,omitempty"`  // units beside Remaining, which only some may buy
	SoldOut       bool                  `json:"sold_out"`
	// UnpaidPending says that units of unpaid orders may come back. It is set for a sold-out sku of a running sale.
	UnpaidPending bool `json:"unpaid_pending"`
	// BackWithinS is about how many seconds it takes until these orders are paid or their units are back.
	BackWithinS int64 `json:"back_within_s,omitempty"`
	// NextWaveAt is when the next wave opens, and NextWaveUnits how many units it has. Both are set whether the sku is
	// sold out now or not.
	NextWaveAt    api.Millis `json:"next_wave_at,omitzero"`
	NextWaveUnits int64      `json:"next_wave_units,omitempty"`
}

func (h *HTTPBuyer) show(ctx context.Context, a *Activity) activityView {
	now := h.clock.NowMS()
	shown := activityView{
		ActivityID: a.ID, Title: a.Title, Shop: a.Shop, StartsAt: api.Millis(a.StartsMS), EndsAt: api.Millis(a.EndsMS),
		State: saleState(a, now), Paused: a.PausedMS > 0, Stopped: h.stopped(), ServerTime: api.Millis(now),
		HumanCheck: cmp.Or(a.HumanCheck, human.None), WaitingRoom: a.WaitingRoom.On(), Segments: a.Segments,
		Eligibility: a.Eligible.Show(a.StartsMS), LimitKey: a.LimitKey, ReservedFor: a.Reserved.Show(now),
		PurchaseLimit: a.PurchaseLimit, PayWithinS: a.PayWithinS, OfferWithinS: a.OfferWithinS, Mode: a.Mode,
		Holds: a.Needs.Has(needs.Holds), BasketMax: a.BasketMax,
		Description: a.Description, ImageURL: a.ImageURL, Images: a.Images, SKUs: make([]skuView, 0, len(a.SKUs)),
	}
	left, err := h.counts.Totals(ctx, a, countsFor)
	for i := range a.SKUs {
		g := &a.SKUs[i]
		s := skuView{
			SKU: g.SKU, Title: g.Title, ImageURL: g.ImageURL, Kind: g.Kind, ListPrice: g.ListPrice,
			FlashPrice: g.FlashPrice, Currency: g.Currency, PurchaseLimit: g.PurchaseLimit, Total: a.Total(g),
			Freight: catalogue.FreightRule{Fee: g.Fee, FreeOver: g.FreeOver}, Required: a.required(g), Parts: g.Parts,
		}
		if at, units, planned := h.nextWave(ctx, a, g, now); planned && at < a.EndsMS && shown.State != Ended {
			s.NextWaveAt, s.NextWaveUnits = api.Millis(max(at, a.StartsMS)), units
		}
		if err != nil || !left.Loaded {
			shown.SKUs = append(shown.SKUs, s)
			continue
		}
		if remaining, known := h.counts.openOf(ctx, a, g, left, countsFor, now, false); known {
			s.Remaining, s.SoldOut = &remaining, remaining == 0
			s.Reserved = h.counts.reservedOf(ctx, a, g, now)
			if s.SoldOut && shown.State == Running && h.mayComeBack(ctx, a, g) {
				s.UnpaidPending = true
				s.BackWithinS = a.PayWithinS + a.PayGraceS // units that were taken just now
				if backBy, known := left.BackByMS(a, g.SKU); known {
					s.BackWithinS = max(1, (backBy-now+999)/1000)
				}
			}
		}
		shown.SKUs = append(shown.SKUs, s)
	}
	return shown
}

// nextWave returns when the next wave of a sku opens, and how many units it has, as Waves.Next and nextWaveOf.
func (h *HTTPBuyer) nextWave(
	ctx context.Context, a *Activity, g *ActivitySKU, nowMS int64,
) (atMS, units int64, planned bool) {
	if !g.Bundle() {
		return g.Waves.Next("", nowMS)
	}
	left, err := h.counts.At(ctx, a, g, countsFor)
	if err != nil || !left.Loaded {
		return 0, 0, false
	}
	return left.nextWaveOf(a, g, nowMS)
}

// showPoints adds the stock points that have physical goods, from which pages tell what the freight is, unless they are
// too many.
func (v *activityView) showPoints(a *Activity) {
	n := 0
	for i := range a.SKUs {
		n += len(a.StockOf(&a.SKUs[i]))
	}
	if n > maxPointIDs {
		return
	}
	for i := range a.SKUs {
		if a.SKUs[i].Kind == catalogue.Physical {
			v.SKUs[i].PointIDs = a.points(&a.SKUs[i])
		}
	}
}

// showSoldOutPoints adds to each sku the points that have none left while other points have some. A buyer whom such a
// point serves can't buy the sku. All counts are read at most once in countsFor, however large the crowd.
func (h *HTTPBuyer) showSoldOutPoints(ctx context.Context, v *activityView, a *Activity) {
	split := func(s skuView) bool { return len(s.PointIDs) > 1 && !s.SoldOut }
	if !slices.ContainsFunc(v.SKUs, split) {
		return
	}
	left, err := h.counts.All(ctx, a, countsFor)
	if err != nil || !left.Loaded {
		return
	}
	open := left.openAt(h.clock.NowMS())
	for i := range v.SKUs {
		s := &v.SKUs[i]
		if !split(*s) {
			continue
		}
		made := a.made(&a.SKUs[i], open)
		for _, point := range s.PointIDs {
			if made[point] <= 0 {
				s.SoldOutPoints = append(s.SoldOutPoints, point)
			}
		}
	}
}

// showDescriptions adds the descriptions of the goods, which may be too long for a list of sales.
func (v *activityView) showDescriptions(a *Activity) {
	for i := range a.SKUs {
		v.SKUs[i].Description = a.SKUs[i].Description
	}
}

// mayComeBack reports whether units of a sku that is sold out may be returned. The counts are read once for all
// skus of a sale.
func (h *HTTPBuyer) mayComeBack(ctx context.Context, a *Activity, g *ActivitySKU) bool {
	left, err := h.counts.All(ctx, a, returnableFor)
	if err != nil {
		return false
	}
	if g.Bundle() {
		return left.bundleMayComeBack(a, g, h.clock.NowMS())
	}
	return left.MayComeBack(g, "", 1, h.clock.NowMS())
}

// Activities answers GET /api/v1/activities.
func (h *HTTPBuyer) Activities(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c, "state")
	if err != nil {
		return err
	}
	state, err := web.Query(c, "state", string(Upcoming), string(Running), string(Ended))
	if err != nil {
		return err
	}
	return h.encoded.send(c, listing{state: SaleState(state), page: page}, func(ctx context.Context) (any, error) {
		return h.page(ctx, SaleState(state), page)
	})
}

// page returns a page of the activities in a state ("" means all).
func (h *HTTPBuyer) page(ctx context.Context, state SaleState, page api.Page) (list api.List[activityView], err error) {
	activities, total, err := h.cache.List(ctx, state, page)
	if err != nil {
		return list, err
	}
	ctx, cancel := context.WithTimeout(ctx, countsWithin)
	defer cancel()
	views := make([]activityView, len(activities))
	var all sync.WaitGroup
	for i, a := range activities { // together, since each may have to wait for its counts
		all.Go(func() { views[i] = h.show(ctx, a) })
	}
	all.Wait()
	// The list may be a second old: a sale that has ended since is not shown as running.
	items := slices.DeleteFunc(views, func(v activityView) bool { return state != "" && v.State != state })
	return api.List[activityView]{
		Items: items, Page: page.Page, PageSize: page.Size, Total: &total, NextCursor: page.Next(total),
	}, nil
}

// Activity answers GET /api/v1/activities/{activity_id}.
func (h *HTTPBuyer) Activity(c *fiber.Ctx) error {
	id, err := ActivityID(c)
	if err != nil {
		return err
	}
	return h.encoded.send(c, listing{activity: id}, func(ctx context.Context) (any, error) {
		a, err := h.cache.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		shown := h.show(ctx, a)
		shown.showPoints(a)
		h.showSoldOutPoints(ctx, &shown, a)
		shown.showDescriptions(a)
		return shown, nil
	})
}

// ActivityID returns the activity id in the route's path.
func ActivityID(c *fiber.Ctx) (string, error) { return web.ParamID(c, "activity_id", "activity") }

// pathRequest is the body of a request for a path.
type pathRequest struct {
	Activity string `json:"activity_id" validate:"required,id"`
	SKU      string `json:"sku_id" validate:"required_without=Lines,excluded_with=Lines,omitempty,id"`
	Lines    []Line `json:"lines" validate:"omitempty,min=1,max=10,dive"` // of a path for several skus

	Place      string `json:"place" validate:"max=128,line"`
	HumanCheck string `json:"human_check" validate:"max=4096,line"`
	Code       string `json:"code" validate:"max=64,line"`
}

// Path answers POST /api/v1/seckill/path.
func (h *HTTPBuyer) Path(c *fiber.Ctx) error {
	var body pathRequest
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	sku := body.SKU
	if len(body.Lines) > 0 {
		var err error
		if sku, err = skusOf(body.Lines); err != nil {
			return err
		}
	}
	who, client := web.Who(c), web.ClientOf(c)
	path, err := h.service.Path(c.UserContext(), Visit{
		User: who.User, Segments: who.Segments, From: client.IP, Address: client.Counted,
		Activity: body.Activity, SKU: sku,
		Place: body.Place, HumanCheck: body.HumanCheck, Code: body.Code,
		Claim: func(name string) []string { return web.Claim(c, name) },
	})
	if err != nil {
		return err
	}
	return c.JSON(path)
}

// Confirm answers POST /api/v1/seckill/{path}/confirm.
func (h *HTTPBuyer) Confirm(c *fiber.Ctx) error {
	body := oneUnit()
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	user, from := web.Who(c).User, web.ClientOf(c).Counted
	confirmed, err := h.service.Confirm(c.UserContext(), user, web.Param(c, "path"), from, body)
	if err != nil {
		return err
	}
	return c.JSON(confirmed)
}

// Submit answers POST /api/v1/seckill/{path}/submit.
func (h *HTTPBuyer) Submit(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	body := Submit{Choice: oneUnit()}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	client := web.ClientOf(c)
	answer, err := h.service.Submit(c.UserContext(), SubmitBy{
		User: web.Who(c).User, Path: web.Param(c, "path"), Key: key, From: client.IP, Address: client.Counted,
		RateLimited: web.RateLimited(c), Stopped: web.Refused(c),
	}, &body)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(answer)
}

// Task answers GET /api/v1/seckill/tasks/{task_id}.
func (h *HTTPBuyer) Task(c *fiber.Ctx) error {
	task, err := h.service.Task(c.UserContext(), web.Who(c).User, web.Param(c, "task_id"))
	if err != nil {
		return err
	}
	return c.JSON(task)
}

// Tasks answers GET /api/v1/seckill/tasks.
func (h *HTTPBuyer) Tasks(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "activity_id", "sku_id"); err != nil {
		return err
	}
	activity, err := web.Query(c, "activity_id")
	if err != nil {
		return err
	}
	sku, err := web.Query(c, "sku_id")
	switch {
	case err != nil:
		return err
	case !ids.Valid(activity):
		return problem.Invalid("activity_id", "must be the id of an activity")
	case sku != "" && !ids.Valid(sku):
		return problem.Invalid("sku_id", ids.Rule)
	}
	items, partial, err := h.service.Tasks(c.UserContext(), web.Who(c).User, activity, sku)
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"items": items, "partial": partial})
}

// eventsFor is how long a task is followed over one connection.
const eventsFor = time.Minute

// FollowTask streams a task until SUCCESS or FAILED. For an unknown task it answers 404 without a stream.
func (h *HTTPBuyer) FollowTask(c *fiber.Ctx) error {
	follow, err := h.service.FollowTask(web.Who(c).User, web.Param(c, "task_id"))
	if err != nil {
		return err
	}
	return web.Events(c, "task", eventsFor, func(ctx context.Context) (any, bool, error) {
		task, err := follow(ctx)
		if err != nil {
			return nil, false, err
		}
		return task, task.Status != TaskSubmitted, nil
	})
}
