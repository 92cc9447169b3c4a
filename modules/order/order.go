package order

import "onrush/modules/catalogue"

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

// Order is an order in both stores. Amounts are in minor units of Currency. Times are UTC milliseconds,
// 0 if the event has not happened. Absent strings are "".
//
// The tags db are the columns in SQL. The tags json are the names in the record in Redis (record.go),
// which are short to save memory. View is the form in the API.
type Order struct {
	Number        Number             `db:"number" json:"n"`
	User          string             `db:"user_id" json:"u"`
	Task          string             `db:"task_id" json:"t"` // the whole task id
	Digest        string             `db:"digest" json:"dg"` // of the body that placed it
	Type          Type               `db:"type" json:"-"`
	Kind          catalogue.Kind     `db:"kind" json:"k"`
	Status        Status             `db:"status" json:"-"`
	Shop          string             `db:"shop_id" json:"s"`
	Activity      string             `db:"activity_id" json:"a"`
	Point         string             `db:"point_id" json:"p"`
	GoodsAmount   int64              `db:"goods_amount" json:"g"`
	FreightAmount int64              `db:"freight_amount" json:"f,omitempty"`
	TotalAmount   int64              `db:"total_amount" json:"-"`
	Currency      string             `db:"currency" json:"c"`
	Delivery      catalogue.Delivery `db:"delivery" json:"d"`
	PickupPoint   string             `db:"pickup_point_id" json:"pp,omitempty"`
	Address       string             `db:"address" json:"ad,omitempty"` // JSON of an Address, or ""
	Remark        string             `db:"remark" json:"r,omitempty"`
	Fields        string             `db:"fields" json:"fl,omitempty"` // JSON object of strings, or ""
	Room          string             `db:"room_id" json:"ro,omitempty"`
	ShareCode     string             `db:"share_code" json:"sc,omitempty"`
	ShareSource   string             `db:"share_source" json:"ss,omitempty"`
	Inviter       string             `db:"inviter_id" json:"iv,omitempty"`
	SearchName    string             `db:"search_name" json:"-"`
	PlacedMS      int64              `db:"placed_ms" json:"at"`
	PlacedFrom    string             `db:"placed_from" json:"ip,omitempty"`
	PayBeforeMS   int64              `db:"pay_before_ms" json:"pb"`
	PaidMS        int64              `db:"paid_ms" json:"-"`
	CancelledMS   int64              `db:"cancelled_ms" json:"-"`
	Reason        string             `db:"reason" json:"-"` // why it was cancelled or failed
	// RefundedAmount is the sum of the refunds of a paid order, including those that the gateway has not paid
	// back yet. Older versions don't raise it when they refund an order.
	RefundedAmount int64 `db:"refunded_amount" json:"-"`
	// ClientReference is the platform's own id of the order; the orders of one request share it.
	ClientReference string `db:"client_reference" json:"cr,omitempty"`
	// NotifyToken lets the platform notify the buyer of the order, such as the form id of a mini program.
	NotifyToken string `db:"notify_token" json:"nt,omitempty"`

	Items  []Item `db:"-" json:"-"`
	Cached bool   `db:"-" json:"-"` // read from Redis, not yet in SQL
}

// MaxClientReference bounds a client_reference in characters, as the tag of Notes and the column do.
const MaxClientReference = 64

// MaxAttribution bounds each of Room, ShareCode, ShareSource and Inviter in characters, as their columns do.
const MaxAttribution = 64

// Notes are optional texts of the client about an order. The requests that place orders, in a sale or not,
// embed them. Empty fields are omitted from JSON, since requests with the same Idempotency-Key are compared
// by their JSON (CONTRIBUTING.md has the rules for a new field).
type Notes struct {
	Remark          string `json:"remark,omitempty" validate:"max=500,text"`
	ClientReference string `json:"client_reference,omitempty" validate:"max=64,visible"`
	NotifyToken     string `json:"notify_token,omitempty" validate:"max=128,visible"`
}

// Keep writes the notes into an order.
func (n Notes) Keep(o *Order) {
	o.Remark, o.ClientReference, o.NotifyToken = n.Remark, n.ClientReference, n.NotifyToken
}

// Item is one line of an order. The tags json are the names in the API; the record in Redis has other
// names (recordItem).
type Item struct {
	Order    Number         `db:"order_number" json:"-"`
	Line     int            `db:"line" json:"-"`
	SKU      string         `db:"sku_id" json:"sku_id"`
	Kind     catalogue.Kind `db:"kind" json:"kind"`
	Title    string         `db:"title" json:"title"`
	ImageURL string         `db:"image_url" json:"image_url"`
	Quantity int64          `db:"quantity" json:"quantity"`
	Price    int64          `db:"price" json:"price"` // of one unit
	// Point is the stock point that the units come from, the same for all items of an order.
	Point string `db:"-" json:"point_id,omitempty"`

	// VoucherCodes are the codes of a paid voucher, one per unit.
	VoucherCodes []string `db:"-" json:"voucher_codes,omitempty"`
}

// Event is one line of an order's log.
type Event struct {
	Order    Number `db:"order_number"`
	Seq      int    `db:"seq"`
	AtMS     int64  `db:"at_ms"`
	Actor    string `db:"who"`  // "buyer", "operator:<id>", "job:<name>", …
	Action   string `db:"what"` // "placed", "cancelled", …
	ClientIP string `db:"from_address"`
}
