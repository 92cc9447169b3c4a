package catalogue

// Kind decides whether an item is sent, and whether it gets voucher codes. The kind of an order is that
// of its items; in a mixed order physical takes precedence over voucher, and voucher over virtual.
type Kind string

// The kinds of goods.
const (
	Physical Kind = "physical"
	Virtual  Kind = "virtual"
	Voucher  Kind = "voucher"
)

// Delivery is how the buyer gets the goods.
type Delivery string

// The deliveries.
const (
	Express Delivery = "express"
	Pickup  Delivery = "pickup"
	None    Delivery = "none"
)

// DefaultPoint is the stock point of regions that no other point serves.
const DefaultPoint = "0"
