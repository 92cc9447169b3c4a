package order

import "onrush/modules/api"

// FulfilmentState says how far a paid order that is sent or picked up has come.
type FulfilmentState string

// The states of a fulfilment. An order that nobody has packed has none.
const (
	Packed    FulfilmentState = "packed"
	Shipped   FulfilmentState = "shipped"
	Delivered FulfilmentState = "delivered" // or picked up
)

// Fulfilment is how far an order has come. It is apart from the order's Status: a refund doesn't change it.
type Fulfilment struct {
	State          FulfilmentState `json:"state" db:"state"`
	PackedAt       api.Millis      `json:"packed_at,omitzero" db:"packed_ms"`
	ShippedAt      api.Millis      `json:"shipped_at,omitzero" db:"shipped_ms"`
	DeliveredAt    api.Millis      `json:"delivered_at,omitzero" db:"delivered_ms"`
	Carrier        string          `json:"carrier,omitempty" db:"carrier"`
	TrackingNumber string          `json:"tracking_number,omitempty" db:"tracking_number"`
}
