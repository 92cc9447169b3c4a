package admin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/waves"
	"onrush/modules/segments"
	"onrush/web"
)

// activityBody is an activity as an operator sends it. An absent limit means no limit.
type activityBody struct {
	Title         string       `json:"title" validate:"required,max=200,line"`
	Shop          string       `json:"shop_id" validate:"required,id"`
	StartsAt      api.Millis   `json:"starts_at" validate:"required"`
	EndsAt        api.Millis   `json:"ends_at" validate:"required"`
	PayWithinS    int64        `json:"pay_within_s,omitzero" validate:"required,min=1,max=31536000"`
	PayGraceS     int64        `json:"pay_grace_s,omitzero" validate:"min=0,max=1800"`
	PurchaseLimit *int64       `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`
	LimitKey      string       `json:"limit_key" validate:"max=64,visible"`
	Mode          seckill.Mode `json:"mode,omitempty" validate:"omitempty,oneof=draw"` // absent: who comes first buys
	BasketMax     int          `json:"basket_max,omitzero" validate:"omitempty,min=2,max=10"`
	gatesBody
	pageBody
	Version int64     `json:"version" validate:"min=0,max=9007199254740991"`
	SKUs    []skuBody `json:"skus" validate:"required,min=1,max=100,dive"`
}

// gatesBody is what stands before a path.
type gatesBody struct {
	PermitRatio *float64         `json:"permit_ratio" validate:"omitempty,eq=-1|gte=1,max=100"`
	HumanCheck  human.Kind       `json:"human_check" validate:"omitempty,oneof=none pow captcha"`
	Limits      *limits.Body     `json:"limits"`
	WaitingRoom *waitingRoomBody `json:"waiting_room"`
	Segments    *segmentsBody    `json:"segments" validate:"omitempty,max=16,dive,segment"` // none: everybody may buy

	OfferWithinS *int64 `json:"offer_within_s" validate:"omitempty,eq=0|min=10,max=86400"` // 0: no waiting list
	// Eligibility without list, code and claim: everybody may buy.
	Eligibility *eligible.Settings `json:"eligibility"`
	// ReservedFor without list, code and claim: no units are reserved.
	ReservedFor *eligible.ReservedFor `json:"reserved_for"`
	// ExpectedVisitors is what the gates are chosen by; 0: there is no estimate.
	ExpectedVisitors *int64 `json:"expected_visitors" validate:"omitempty,min=0,max=1000000000"`
}

// segmentsBody are the names of segments in any order, also twice.
type segmentsBody []string

// sorted returns the names in the order in which they are stored, or names of another body if b is nil.
func (b *segmentsBody) sorted(otherwise *segmentsBody) *segmentsBody {
	if b == nil {
		return otherwise
	}
	names := slices.Compact(slices.Sorted(slices.Values(*b)))
	return (*segmentsBody)(&names)
}

// set returns the set of valid names; nil stays nil.
func (b *segmentsBody) set() *segments.Set {
	if b == nil {
		return nil
	}
	set, _ := segments.Of(*b) // Bind has checked the names
	return &set
}

// pageBody is what the page of a sale shows.
type pageBody struct {
	Description string         `json:"description" validate:"max=5000,text"`
	ImageURL    string         `json:"image_url" validate:"omitempty,max=500,picture"`
	Images      seckill.Images `json:"images" validate:"max=10,dive,required,max=500,picture"`
}

// waitingRoomBody is a waiting room as operators see it; -1 paths per second mean none.
type waitingRoomBody struct {
	PathsPerSecond float64 `json:"paths_per_second" validate:"required,eq=-1|min=0.01,max=100000"`
}

type skuBody struct {
	SKU           string      `json:"sku_id" validate:"required,id"`
	FlashPrice    *int64      `json:"flash_price" validate:"required,min=0,max=1000000000000"`
	Currency      string      `json:"currency" validate:"omitempty,currency"` // of the price; absent: the sku's
	PurchaseLimit *int64      `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`
	Stock         []stockBody `json:"stock" validate:"required_without=Parts,max=1000,dive"`
	Waves         *wavesBody  `json:"waves" validate:"omitempty,max=100,dive"`

	Reserved *reservedBody `json:"reserved" validate:"omitempty,max=50,dive"`
	Parts    seckill.Parts `json:"parts" validate:"max=9,dive"` // of a bundle, instead of a stock
}

type stockBody struct {
	Point    string `json:"point_id" validate:"required,id"`
	Quantity *int64 `json:"quantity" validate:"required,min=0,max=1000000000"`
}

// bindActivity reads an activity, and the version from which the request was made.
func (h *HTTPOperator) bindActivity(c *fiber.Ctx) (*seckill.Activity, int64, error) {
	var body activityBody
	if err := web.Bind(c, &body); err != nil {
		return nil, 0, err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return nil, 0, err
	}
	if err := h.checkPictures(body.ImageURL, body.Images).Err(); err != nil {
		return nil, 0, err
	}
	return activityOf(&body), version, nil
}

func (b *activityBody) validate() error { return web.Validate(b) }

// activityOf returns the activity of a valid body.
func activityOf(body *activityBody) *seckill.Activity {
	a := &seckill.Activity{
		Title: body.Title, Shop: body.Shop, StartsMS: int64(body.StartsAt), EndsMS: int64(body.EndsAt),
		PayWithinS: body.PayWithinS, PayGraceS: body.PayGraceS, PurchaseLimit: orUnlimited(body.PurchaseLimit),
		PermitRatio: seckill.Unlimited,
	}
	if body.PermitRatio != nil {
		a.PermitRatio = *body.PermitRatio
	}
	a.Description, a.ImageURL, a.Images = body.Description, body.ImageURL, body.Images
	a.HumanCheck, a.Limits = cmp.Or(body.HumanCheck, human.None), body.Limits.Apply(limits.Settings{})
	set(&a.Segments, body.Segments.set())
	set(&a.OfferWithinS, body.OfferWithinS)
	set(&a.Eligible, body.Eligibility)
	set(&a.Reserved, body.ReservedFor)
	set(&a.ExpectedVisitors, body.ExpectedVisitors)
	a.LimitKey, a.Mode, a.BasketMax = body.LimitKey, body.Mode, body.BasketMax
	if w := body.WaitingRoom; w != nil && w.PathsPerSecond > 0 {
		a.WaitingRoom.PathsPerSecond = w.PathsPerSecond
	}
	for _, s := range body.SKUs {
		sku := seckill.ActivitySKU{
			SKU: s.SKU, FlashPrice: *s.FlashPrice, Currency: s.Currency, PurchaseLimit: orUnlimited(s.PurchaseLimit),
			Parts: s.Parts.Sorted(),
		}
		for _, p := range s.Stock {
			sku.Stock = append(sku.Stock, seckill.PointStock{Point: p.Point, Total: *p.Quantity})
		}
		if s.Waves != nil {
			sku.Waves = waves.Of(s.Waves.waves())
		}
		sku.Reserved = s.Reserved.plan()
		a.SKUs = append(a.SKUs, sku)
	}
	return a
}

// checkPictures names the pictures of other hosts than those that the shop shows.
func (h *HTTPOperator) checkPictures(first string, more seckill.Images) (checks problem.Checks) {
	h.pictures.Check(&checks, "image_url", first)
	for i, picture := range more {
		h.pictures.Check(&checks, fmt.Sprintf("images[%d]", i), picture)
	}
	return checks
}

// orEmpty returns the value of a field, or the zero value where the field is absent.
func orEmpty[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
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
	PayGraceS     int64         `json:"pay_grace_s,omitzero"`
	PurchaseLimit int64         `json:"purchase_limit"`
	PermitRatio   float64       `json:"permit_ratio"`
	State         seckill.State `json:"state"`
	Lane          int           `json:"lane"`
	CreatedAt     api.Millis    `json:"created_at"`
	PausedAt      api.Millis    `json:"paused_at,omitzero"`

	HumanCheck  human.Kind       `json:"human_check"`
	Limits      limits.Settings  `json:"limits"`
	WaitingRoom *waitingRoomBody `json:"waiting_room,omitempty"`
	Segments    segments.Set     `json:"segments,omitempty"`
	LimitKey    string           `json:"limit_key,omitempty"`  // a claim
	BasketMax   int              `json:"basket_max,omitempty"` // skus of an order

	Eligibility *eligible.Settings    `json:"eligibility,omitempty"`
	ReservedFor *eligible.ReservedFor `json:"reserved_for,omitempty"`

	OfferWithinS int64        `json:"offer_within_s,omitempty"`
	Mode         seckill.Mode `json:"mode,omitempty"`

	ExpectedVisitors int64 `json:"expected_visitors,omitempty"` // in the first minute

	Description string         `json:"description,omitempty"`
	ImageURL    string         `json:"image_url,omitempty"`
	Images      seckill.Images `json:"images,omitempty"`

	Version int64      `json:"version"` // increases with each change of these fields
	SKUs    []adminSKU `json:"skus"`
}

type adminSKU struct {
	SKU           string       `json:"sku_id"`
	FlashPrice    int64        `json:"flash_price"`
	Currency      string       `json:"currency,omitempty"` // of the flash price
	PurchaseLimit int64        `json:"purchase_limit"`
	Stock         []adminStock `json:"stock"`
	Waves         wavesBody    `json:"waves,omitempty"`    // in the order of their times
	Reserved      reservedBody `json:"reserved,omitempty"` // by stock point

	Parts seckill.Parts `json:"parts,omitempty"` // of a bundle, whose stock is empty
}

type adminStock struct {
	Point    string `json:"point_id"`
	Quantity int64  `json:"quantity"`
}

func showAdmin(a *seckill.Activity) adminActivity {
	shown := adminActivity{
		ActivityID: a.ID, Title: a.Title, Shop: a.Shop, StartsAt: api.Millis(a.StartsMS), EndsAt: api.Millis(a.EndsMS),
		PayWithinS: a.PayWithinS, PayGraceS: a.PayGraceS, PurchaseLimit: a.PurchaseLimit, PermitRatio: a.PermitRatio,
		State: a.State,
		Lane:  a.Lane, CreatedAt: api.Millis(a.CreatedMS), PausedAt: api.Millis(a.PausedMS), HumanCheck: a.HumanCheck,
		Limits: a.Limits, Segments: a.Segments, OfferWithinS: a.OfferWithinS, Mode: a.Mode, LimitKey: a.LimitKey,
		BasketMax: a.BasketMax, ExpectedVisitors: a.ExpectedVisitors,
		Description: a.Description, ImageURL: a.ImageURL, Images: a.Images, Version: a.Revision,
		SKUs: make([]adminSKU, 0, len(a.SKUs)),
	}
	if a.Eligible.On() {
		shown.Eligibility = &a.Eligible
	}
	if a.Reserved.On() {
		shown.ReservedFor = &a.Reserved
	}
	if a.WaitingRoom.On() {
		shown.WaitingRoom = &waitingRoomBody{PathsPerSecond: a.WaitingRoom.PathsPerSecond}
	}
	for _, g := range a.SKUs {
		sku := adminSKU{
			SKU: g.SKU, FlashPrice: g.FlashPrice, Currency: g.Currency, PurchaseLimit: g.PurchaseLimit,
			Stock: make([]adminStock, 0, len(g.Stock)), Parts: g.Parts,
		}
		sku.Waves, sku.Reserved = showWaves(g.Waves), showReserved(g.Reserved)
		for _, p := range g.Stock {
			sku.Stock = append(sku.Stock, adminStock{Point: p.Point, Quantity: p.Total})
		}
		shown.SKUs = append(shown.SKUs, sku)
	}
	return shown
}

// changeBody is a change of a published activity; absent fields change nothing. It has the fields that can't
// be changed too, so that the answer names them.
type changeBody struct {
	Title         *string     `json:"title" validate:"omitempty,min=1,max=200,line"`
	StartsAt      *api.Millis `json:"starts_at"`
	EndsAt        *api.Millis `json:"ends_at"`
	PayGraceS     *int64      `json:"pay_grace_s" validate:"omitempty,min=0,max=1800"`
	PurchaseLimit *int64      `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`
	gatesBody
	Description *string         `json:"description" validate:"omitempty,max=5000,text"`
	ImageURL    *string         `json:"image_url" validate:"omitempty,max=500,picture"` // "" removes it
	Images      *seckill.Images `json:"images" validate:"omitempty,max=10,dive,required,max=500,picture"`

	SKUs []skuChangeBody `json:"skus" validate:"max=100,unique=SKU,dive"`

	Shop       *string       `json:"shop_id"`
	PayWithinS *int64        `json:"pay_within_s"`
	LimitKey   *string       `json:"limit_key"`
	Mode       *seckill.Mode `json:"mode" validate:"omitempty,oneof=draw"`
	BasketMax  *int          `json:"basket_max"`

	Version int64 `json:"version" validate:"min=0,max=9007199254740991"`
}

type skuChangeBody struct {
	SKU           string `json:"sku_id" validate:"required,id"`
	FlashPrice    *int64 `json:"flash_price" validate:"omitempty,min=0,max=1000000000000"`
	PurchaseLimit *int64 `json:"purchase_limit" validate:"omitempty,eq=-1|min=1,max=1000000"`

	Waves    *wavesBody    `json:"waves" validate:"omitempty,max=100,dive"`
	Reserved *reservedBody `json:"reserved" validate:"omitempty,max=50,dive"`

	Stock    []pointBody `json:"stock" validate:"max=1000,unique=Point,dive"`
	Currency *string     `json:"currency"`

	Parts *seckill.Parts `json:"parts" validate:"omitempty,max=9,dive"`
}

// pointBody is the stock of a point; an absent quantity changes nothing.
type pointBody struct {
	Point    string `json:"point_id" validate:"required,id"`
	Quantity *int64 `json:"quantity" validate:"omitempty,min=0,max=10000000000"`
}

func (h *HTTPOperator) bindChange(c *fiber.Ctx) (*Change, error) {
	var body changeBody
	if err := web.Bind(c, &body); err != nil {
		return nil, err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return nil, err
	}
	return changeOf(&body, version, h.checkPictures(orEmpty(body.ImageURL), orEmpty(body.Images)))
}

// changeOf returns the change of a valid body, or a problem with what checks have found and the fields that can't be
// changed.
func changeOf(body *changeBody, version int64, checks problem.Checks) (*Change, error) {
	const fixed = "can't be changed after publishing"
	checks.That(body.Shop == nil, "shop_id", fixed)
	checks.That(body.PayWithinS == nil, "pay_within_s", fixed)
	checks.That(body.LimitKey == nil, "limit_key", fixed)
	checks.That(body.Mode == nil, "mode", fixed)
	checks.That(body.BasketMax == nil, "basket_max", fixed)
	change := &Change{
		Title: body.Title, StartsMS: (*int64)(body.StartsAt), EndsMS: (*int64)(body.EndsAt),
		PurchaseLimit: body.PurchaseLimit, PermitRatio: body.PermitRatio, HumanCheck: body.HumanCheck, Version: version,
		Limits: body.Limits, Segments: body.Segments.set(), OfferWithinS: body.OfferWithinS, Eligible: body.Eligibility,
		PayGraceS: body.PayGraceS, ReservedFor: body.ReservedFor, ExpectedVisitors: body.ExpectedVisitors,
		Description: body.Description, ImageURL: body.ImageURL, Images: body.Images,
	}
	if body.WaitingRoom != nil {
		change.PathsPerSecond = &body.WaitingRoom.PathsPerSecond
	}
	for i, s := range body.SKUs {
		checks.That(s.Stock == nil, fmt.Sprintf("skus[%d].stock", i), "is changed by POST .../stock")
		checks.That(s.Currency == nil, fmt.Sprintf("skus[%d].currency", i), fixed)
		checks.That(s.Parts == nil, fmt.Sprintf("skus[%d].parts", i), fixed)
		sku := SKUChange{SKU: s.SKU, FlashPrice: s.FlashPrice, PurchaseLimit: s.PurchaseLimit}
		if s.Waves != nil {
			list := s.Waves.waves()
			sku.Waves = &list
		}
		if s.Reserved != nil {
			plan := s.Reserved.plan()
			sku.Reserved = &plan
		}
		change.SKUs = append(change.SKUs, sku)
	}
	return change, checks.Err()
}
