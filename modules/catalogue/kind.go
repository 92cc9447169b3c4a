package catalogue

// Kind is what an item is: whether it is sent, and whether it gets voucher codes. The kind of an
// order is that of its items; physical comes before voucher, and voucher before virtual.
type Kind string

// The kinds of goods.
const (
	Physical Kind = "physical"
	Virtual  Kind = "virtual"
	Voucher  Kind = "voucher"
)

// Delivery is how the buyer gets the goods.
type Delivery string

// The ways of delivery.
const (
	Express Delivery = "express"
	Pickup  Delivery = "pickup"
	None    Delivery = "none"
)

// DefaultPoint is the stock point that serves what no other point serves.
const DefaultPoint = "0"
