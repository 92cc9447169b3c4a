package rounds

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestAPriceFromBeforeAnAnsweredChangeIsSeen(t *testing.T) {
	t.Parallel()
	raised := []raise{{noon, 2}, {noon.Add(time.Second), 3}}
	for _, tc := range []struct {
		after time.Duration
		price int64
		wrong bool
	}{
		{-time.Millisecond, 1, false},
		{-time.Millisecond, 2, false}, // the change was under way
		{time.Millisecond, 1, true},
		{time.Millisecond, 2, false},
		{time.Millisecond, 3, false},
		{2 * time.Second, 2, true},
		{2 * time.Second, 4, false}, // of a change that was not answered
	} {
		broken := brokenPrices(raised, []purchase{{number: "1", sent: noon.Add(tc.after), price: tc.price}})
		assert.Equal(t, tc.wrong, len(broken) == 1, "%s: %d", tc.after, tc.price)
	}
}

func TestAnOrdinaryOrderInNobodysListIsSeen(t *testing.T) {
	t.Parallel()
	bought := []purchase{{user: "ada", number: "1"}, {user: "bob", number: "2"}}
	assert.Empty(t, missingOf("ada", bought, []client.Order{{OrderNumber: "1"}}))
	assert.Len(t, missingOf("ada", bought, nil), 1)
	assert.Len(t, missingOf("bob", bought, []client.Order{{OrderNumber: "1"}}), 1)
}
