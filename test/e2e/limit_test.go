package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestOneBuyerGetsExactlyTheLimitOutOfFiveHundredAtOnce(t *testing.T) {
	t.Parallel()
	for name, sale := range map[string]site.Sale{
		"limit of the activity": {Stock: map[string]int64{"0": 1000}, PurchaseLimit: 3},
		"limit of the sku":      {Stock: map[string]int64{"0": 1000}, SKULimit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
				activity := instances[0].Open(t, sale)
				alice := instances[0].Buyer(t, "alice")
				path := alice.Path(t, activity, "sku")

				answers := kit.AtOnce(500, func(i int) site.Answer {
					return alice.At(instances[i%2]).InsistOn(path, fmt.Sprintf("key-%d", i), one)
				})

				codes := map[string]int{}
				for _, a := range answers {
					codes[fmt.Sprintf("%d %s", a.Status, a.Code())]++
				}
				assert.Equal(t, map[string]int{"202 ": 3, "409 purchase_limit": 497}, codes)
				instances[0].Drain(t)
				assert.Len(t, ownersInSQL(t, stores, activity), 3)
				assert.Empty(t, instances[0].Audit(t, activity))
			})
		})
	}
}
