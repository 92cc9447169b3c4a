package seckill

import (
	"encoding/json"
	"fmt"

	"onrush/modules/catalogue"
)

// WishView is what a buyer sees of units that they wish for: the fields that entries of waiting lists and of draws
// share.
type WishView struct {
	EntryID    string `json:"entry_id"`
	ActivityID string `json:"activity_id"`
	SKU        string `json:"sku_id"`
	Point      string `json:"point_id"`
	Quantity   int64  `json:"quantity"`

	Delivery    catalogue.Delivery `json:"delivery,omitempty"`
	AddressID   string             `json:"address_id,omitempty"`
	PickupPoint string             `json:"pickup_point_id,omitempty"`
}

// SetChoice sets the delivery that the buyer chose, by a Choice as JSON; "" sets none.
func (v *WishView) SetChoice(choice string) error {
	if choice == "" {
		return nil
	}
	var c Choice
	if err := json.Unmarshal([]byte(choice), &c); err != nil {
		return fmt.Errorf("read the choice of entry %s: %w", v.EntryID, err)
	}
	v.Delivery, v.AddressID, v.PickupPoint = c.Delivery, c.AddressID, c.PickupPoint
	return nil
}
