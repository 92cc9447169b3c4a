package order

import (
	"encoding/json"

	"github.com/mailru/easyjson/jwriter"

	"onrush/modules/api"
	"onrush/modules/catalogue"
)

//go:generate go tool easyjson -no_std_marshalers $GOFILE

// Type says how an order was placed.
type Type string

// The types of orders.
const (
	Seckill  Type = "seckill"  // placed in a flash sale, through Redis
	Ordinary Type = "ordinary" // placed directly in SQL
)

// Status is the state of an order; doc.go has a diagram of the transitions.
type Status string

// The states of an order. A cached order is unpaid.
const (
	Unpaid    Status = "unpaid"
	Paid      Status = "paid"
	Cancelled Status = "cancelled"
	Refunded  Status = "refunded"
	Failed    Status = "failed"
)

// Order is an order in both stores. Amounts are in minor units of Currency. Times are UTC milliseconds, 0 if the event
// has not happened. Absent strings are "".
//
// The fields with a json name are its record (record.go), the same bytes in Redis and in SQL. SQL writes it again only
// if the buyer changes the address, or is erased. The others change: they are columns.
// Texts with the option nocopy are parts of the record that they were read from, which saves most of the allocations of
// moving an order.
//
//easyjson:json
type Order struct {
	Version    int    `json:"v"` // of the record
	Number     Number `json:"n"`
	User       string `json:"u,nocopy"`
	Task       string `json:"t,nocopy"`  // of the submit: TaskID.String; an ordinary order has another form
	Digest     string `json:"dg,nocopy"` // of the body that placed it
	PlacedFrom string `json:"ip,omitempty,nocopy"`
	// Trace is the W3C context of the request that placed it, if that was sampled (tracing.Parent).
	Trace string `json:"tp,omitempty,nocopy"`
	// LimitKey is under which purchase limits count the order, instead of its user; see Buyer.
	LimitKey string `json:"lk,omitempty,nocopy"`
	// Reserved says that units of the sale were reserved for the user.
	Reserved bool `json:"rs,omitempty"`
	// Content is the last member of the record, so that lists copy it.
	Content `json:"c"`

	Status      Status `json:"-"`
	PaidMS      int64  `json:"-"`
	CancelledMS int64  `json:"-"`
	Reason      string `json:"-"` // why it was cancelled or failed
	// RefundedAmount is the sum of the refunds of a paid order, including those that the gateway has not paid
	// back yet.
	RefundedAmount int64 `json:"-"`
	// Fulfilment is nil unless the order was packed. It has a table of its own (complete.Fill).
	Fulfilment *Fulfilment `json:"-"`

	Cached bool `json:"-"` // read from Redis, not yet in SQL

	record []byte // that it was read from; nil of one that is being placed
}

// Content is the part of an order that doesn't change, except for its address, in the form of the API.
//
//easyjson:json
type Content struct {
	Type          Type               `json:"type,nocopy"`
	Kind          catalogue.Kind     `json:"kind,nocopy"`
	Shop          string             `json:"shop_id,nocopy"`
	Activity      string             `json:"activity_id,omitempty,nocopy"`
	Point         string             `json:"point_id,omitempty,nocopy"` // the stock point that the goods come from
	Items         []Item             `json:"items"`
	Bundle        *Bundle            `json:"bundle,omitempty"` // whose parts the items are
	GoodsAmount   int64              `json:"goods_amount"`
	FreightAmount int64              `json:"freight_amount"`
	TotalAmount   int64              `json:"total_amount"`
	Currency      string             `json:"currency,nocopy"`
	Address       *catalogue.Address `json:"address,omitempty"`
	Delivery      catalogue.Delivery `json:"delivery,nocopy"`
	PickupPoint   string             `json:"pickup_point_id,omitempty,nocopy"`
	Remark        string             `json:"remark,omitempty,nocopy"`
	Fields        FreeFields         `json:"fields,omitempty"`
	Room          string             `json:"room_id,omitempty,nocopy"`
	ShareCode     string             `json:"share_code,omitempty,nocopy"`
	ShareSource   string             `json:"share_source,omitempty,nocopy"`
	Inviter       string             `json:"inviter_id,omitempty,nocopy"`
	PlacedAt      api.Millis         `json:"placed_at"`
	PayBefore     api.Millis         `json:"pay_before,omitzero"`
	// ClientReference is the platform's own id of the order; the orders of one request share it.
	ClientReference string `json:"client_reference,omitempty,nocopy"`
	// NotifyToken lets the platform notify the buyer of the order, such as the form id of a mini program.
	NotifyToken string `json:"notify_token,omitempty,nocopy"`
}

// Item is one line of an order.
type Item struct {
	Line     int            `json:"-"` // from 1
	SKU      string         `json:"sku_id,nocopy"`
	Kind     catalogue.Kind `json:"kind,nocopy"`
	Title    string         `json:"title,nocopy"`
	ImageURL string         `json:"image_url,nocopy"`
	Quantity int64          `json:"quantity"`
	Price    int64          `json:"price"` // of one unit
	// Point is the stock point that the units come from, the same for all items of an order.
	Point string `json:"point_id,omitempty,nocopy"`

	// VoucherCodes are the codes of a paid voucher, one per unit.
	VoucherCodes []string `json:"voucher_codes,omitempty"`
	// VouchersWaiting is how many units of a paid voucher wait for a partner's code.
	VouchersWaiting int64 `json:"vouchers_waiting,omitempty"`
}

// Bundle is a bundle that an order is of. Its price is the sum of the prices of its parts, which are the order's items.
type Bundle struct {
	SKU      string `json:"sku_id,nocopy"`
	Title    string `json:"title,nocopy"`
	Quantity int64  `json:"quantity"`
	Price    int64  `json:"price"` // of one
}

// FreeFields are what a shop adds to its orders, by name.
type FreeFields map[string]string

// MarshalEasyJSON writes the fields ordered by name.
func (f FreeFields) MarshalEasyJSON(w *jwriter.Writer) { w.Raw(json.Marshal(map[string]string(f))) }

// MaxClientReference bounds a client_reference in characters, as the tag of ClientTexts and the column do.
const MaxClientReference = 64

// MaxAttribution bounds each of Room, ShareCode, ShareSource and Inviter in characters, as their columns do.
const MaxAttribution = 64

// ClientTexts are optional texts of the client about an order. The requests that place orders, in a sale or not,
// embed them. Empty fields are omitted from JSON, since requests with the same Idempotency-Key are compared
// by their JSON (CONTRIBUTING.md has the rules for a new field).
type ClientTexts struct {
	Remark          string `json:"remark,omitempty" validate:"omitempty,max=500,text"`
	ClientReference string `json:"client_reference,omitempty" validate:"omitempty,max=64,visible"`
	NotifyToken     string `json:"notify_token,omitempty" validate:"omitempty,max=128,visible"`
}

// PutInto writes the texts into an order.
func (n ClientTexts) PutInto(o *Order) {
	o.Remark, o.ClientReference, o.NotifyToken = n.Remark, n.ClientReference, n.NotifyToken
}

// LogLine is one line of an order's log.
type LogLine struct {
	Order    Number `db:"order_number"`
	Seq      int    `db:"seq"`
	AtMS     int64  `db:"at_ms"`
	Actor    string `db:"who"`  // "buyer", "operator:<id>", "job:<name>", …
	Action   string `db:"what"` // "placed", "cancelled", …
	ClientIP string `db:"from_address"`
	TraceID  string `db:"trace_id"` // of the work that wrote it, if that was sampled; set by what writes lines
}
