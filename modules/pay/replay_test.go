package pay

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/order"
)

// SQL keeps these values, so they must not change.
func TestKeysOfPaymentsHaveTheirDigestsOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "pay.LeN-00nfvX57q9xz6mPv8w", keyID("ada", "key1"))
	assert.Equal(t, "TSkP212OoiB7u0Kp", bodyDigest([]order.Number{7}, Request{Channel: "stripe"}))
	assert.Equal(t, "Y3Evmo74xnjY-T8q", bodyDigest([]order.Number{7, 8}, Request{Channel: "stripe", OpenID: "o1"}))
	returning := Request{Channel: "stripe", ReturnURL: "https://shop.example/paid"}
	assert.Equal(t, "lUPX-as1io3fr4Vm", bodyDigest([]order.Number{7}, returning))
}
