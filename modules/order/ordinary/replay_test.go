package ordinary

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
)

func TestRequestWithoutAClientReferenceHasTheDigestOfOlderVersions(t *testing.T) {
	t.Parallel()
	r := Request{
		Items: []Item{{SKU: "lamp", Quantity: 2}}, Delivery: catalogue.Express, AddressID: "a1", PickupPoint: "p",
		ClientTexts: order.ClientTexts{Remark: "soon"},
	}
	sum := sha256.Sum256([]byte(`{"items":[{"sku_id":"lamp","quantity":2}],"delivery":"express","address_id":"a1",` +
		`"pickup_point_id":"p","remark":"soon"}`))
	plain, err := digestOf(r)
	require.NoError(t, err)
	assert.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:12]), plain)
	r.ClientReference = "po-1"
	referenced, err := digestOf(r)
	require.NoError(t, err)
	assert.NotEqual(t, plain, referenced)
}

// SQL keeps these task ids, so they must not change.
func TestTasksOfAKeyHaveThePrefixOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "0~LeN-00nfvX57q9xz6mPv8w", taskPrefix("ada", "key1"))
}
