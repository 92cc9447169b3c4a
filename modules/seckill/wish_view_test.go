package seckill_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/seckill"
)

func TestTheViewOfAWishHasTheDeliveryThatTheBuyerChose(t *testing.T) {
	t.Parallel()
	v := seckill.WishView{EntryID: "e1"}
	require.NoError(t, v.SetChoice(""), "nothing was chosen")
	assert.Equal(t, seckill.WishView{EntryID: "e1"}, v)
	choice, err := json.Marshal(seckill.Choice{
		Quantity: 1, Delivery: catalogue.Express, AddressID: "home", PickupPoint: "p",
	})
	require.NoError(t, err)
	require.NoError(t, v.SetChoice(string(choice)))
	assert.Equal(t, seckill.WishView{
		EntryID: "e1", Delivery: catalogue.Express, AddressID: "home", PickupPoint: "p",
	}, v)
	assert.ErrorContains(t, v.SetChoice("{"), "entry e1")
}
