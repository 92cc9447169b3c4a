package order

import (
	"crypto/sha256"
	"encoding/base64"
	"onrush/modules/catalogue"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestWithoutAClientReferenceHasTheDigestOfOlderVersions(t *testing.T) {
	t.Parallel()
	r := OrdinaryRequest{
		Items: []OrdinaryItem{{SKU: "lamp", Quantity: 2}}, Delivery: catalogue.Express, AddressID: "a1", PickupPoint: "p", Notes: Notes{Remark: "soon"},
	}
	sum := sha256.Sum256([]byte(`{"items":[{"sku_id":"lamp","quantity":2}],"delivery":"express","address_id":"a1","pickup_point_id":"p","remark":"soon"}`))
	plain, err := digestOf(r)
	require.NoError(t, err)
	assert.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:12]), plain)
	r.ClientReference = "po-1"
	referenced, err := digestOf(r)
	require.NoError(t, err)
	assert.NotEqual(t, plain, referenced)
}
