//go:build large

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/app/drill"
	"onrush/test/kit"
)

// A crowd that finds too few units waits for those that come back. On a busy machine a part of it may come too late to
// show all of that, so that nothing is judged; then it comes again.
func TestADrillOfWishesHolds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		verdict := drill.NotExercised
		for try := 0; try < 3 && verdict == drill.NotExercised; try++ {
			for _, c := range drills(t, stores, drill.Wishes, 200).Checks {
				if c.Name == "wishes" {
					verdict = c.Verdict
				}
			}
		}
		assert.Equal(t, drill.Held, verdict)
	})
}
