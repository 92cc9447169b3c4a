//go:build large

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/app/drill"
	"onrush/test/kit"
)

// A crowd that finds too few units waits for those that come back.
func TestADrillOfWishesHolds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, c := range drills(t, stores, drill.Wishes, 200).Checks {
			if c.Name == "wishes" {
				assert.Equal(t, drill.Held, c.Verdict, c)
				return
			}
		}
		assert.Fail(t, "wishes are not judged")
	})
}
