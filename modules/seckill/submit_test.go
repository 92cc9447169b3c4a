package seckill

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
)

// A submit's digest is made from its JSON, and must equal the digest that an older version made.
func TestSubmitWithoutAClientReferenceHasTheJSONOfOlderVersions(t *testing.T) {
	t.Parallel()
	body := Submit{
		Choice:       Choice{Quantity: 2, Delivery: catalogue.Express, AddressID: "a1", PickupPoint: "p"},
		Confirmation: "c.d", ClientTexts: order.ClientTexts{Remark: "soon"}, Extras: order.Extras{
			Fields: map[string]string{"k": "v"}, Room: "r", ShareCode: "s", ShareSource: "f", Inviter: "i",
		},
	}
	plain, err := json.Marshal(body)
	require.NoError(t, err)
	//nolint:testifylint // the bytes
	assert.Equal(t, `{"quantity":2,"delivery":"express","address_id":"a1","pickup_point_id":"p","confirmation":"c.d",`+
		`"remark":"soon",`+
		`"fields":{"k":"v"},"room_id":"r","share_code":"s","share_source":"f","inviter_id":"i"}`, string(plain))
	body.ClientReference = "po-1"
	referenced, err := json.Marshal(body)
	require.NoError(t, err)
	assert.NotEqual(t, string(plain), string(referenced))

	body.ClientReference, body.Fields = "", nil
	plain, err = json.Marshal(body)
	require.NoError(t, err)
	//nolint:testifylint // the bytes
	assert.Equal(t, `{"quantity":2,"delivery":"express","address_id":"a1","pickup_point_id":"p","confirmation":"c.d",`+
		`"remark":"soon","room_id":"r","share_code":"s","share_source":"f","inviter_id":"i"}`, string(plain))
}
