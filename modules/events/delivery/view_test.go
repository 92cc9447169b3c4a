package delivery

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"onrush/modules/ids"
)

func TestTheIDOfADeliveryNamesItsEndpointAndEvent(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[A-Za-z0-9._:-]{1,64}`).Filter(ids.Valid)
	rapid.Check(t, func(t *rapid.T) {
		row := deliveryRow{Endpoint: id.Draw(t, "endpoint"), Event: rapid.Int64Min(1).Draw(t, "event")}
		endpoint, event, ok := parseDeliveryID(row.view().ID)
		assert.True(t, ok)
		assert.Equal(t, row.Endpoint, endpoint)
		assert.Equal(t, row.Event, event)
	})
	for _, text := range []string{
		"", "erp", "erp~", "~1", "erp.1", "erp~0", "erp~01", "erp~+1", "erp~1~", "e~p~1", "..~1",
	} {
		_, _, ok := parseDeliveryID(text)
		assert.False(t, ok, text)
	}
}
