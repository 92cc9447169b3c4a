package order

// Type says how an order came about.
type Type string

// The types of orders.
const (
	Seckill  Type = "seckill"  // placed in a flash sale, through Redis
	Ordinary Type = "ordinary" // placed straight in SQL
)

// Status is where an order stands; doc.go draws the ways between them.
type Status string

// The states of an order. A cached order is unpaid.
const (
	Unpaid    Status = "unpaid"
	Paid      Status = "paid"
	Cancelled Status = "cancelled"
	Refunded  Status = "refunded"
	Failed    Status = "failed"
)

// Order is one order as both stores keep it. Amounts are in minor units of Currency, times are
// UTC milliseconds and 0 where the thing has not happened; absent texts are "".
type Order struct {
	Number        Number   `db:"number"`
	User          string   `db:"user_id"`
	Task          string   `db:"task_id"` // the whole task id
	Digest        string   `db:"digest"`  // of the body that placed it
	Type          Type     `db:"type"`
	Kind          Kind     `db:"kind"`
	Status        Status   `db:"status"`
	Shop          string   `db:"shop_id"`
	Activity      string   `db:"activity_id"`
	Point         string   `db:"point_id"`
	GoodsAmount   int64    `db:"goods_amount"`
	FreightAmount int64    `db:"freight_amount"`
	TotalAmount   int64    `db:"total_amount"`
	Currency      string   `db:"currency"`
	Delivery      Delivery `db:"delivery"`
	PickupPoint   string   `db:"pickup_point_id"`
	Address       string   `db:"address"` // JSON of an Address, or ""
	Remark        string   `db:"remark"`
	Fields        string   `db:"fields"` // JSON object of strings, or ""
	Room          string   `db:"room_id"`
	ShareCode     string   `db:"share_code"`
	ShareSource   string   `db:"share_source"`
	Inviter       string   `db:"inviter_id"`
	SearchName    string   `db:"search_name"`
	PlacedMS      int64    `db:"placed_ms"`
	PlacedFrom    string   `db:"placed_from"`
	PayBeforeMS   int64    `db:"pay_before_ms"`
	PaidMS        int64    `db:"paid_ms"`
	CancelledMS   int64    `db:"cancelled_ms"`
	Reason        string   `db:"reason"` // why it was cancelled or failed

	Items  []Item `db:"-"`
	Cached bool   `db:"-"` // read from Redis, not yet in SQL
}

// Item is one line of an order.
type Item struct {
	Order    Number `db:"order_number" json:"-"`
	Line     int    `db:"line" json:"-"`
	SKU      string `db:"sku_id" json:"sku_id"`
	Kind     Kind   `db:"kind" json:"kind"`
	Title    string `db:"title" json:"title"`
	ImageURL string `db:"image_url" json:"image_url"`
	Quantity int64  `db:"quantity" json:"quantity"`
	Price    int64  `db:"price" json:"price"` // of one unit

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
