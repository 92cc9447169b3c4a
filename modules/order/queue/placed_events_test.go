package queue_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// eventsOf numbers the events and returns all events of a type, by the numbers of their orders.
func eventsOf(t *testing.T, stores *kit.Stores, kind string) map[string][]events.Event {
	t.Helper()
	_, err := events.NewSequencer(stores.DB, slog.New(slog.DiscardHandler)).RunOnce(t.Context())
	require.NoError(t, err)
	found, _, err := events.NewFeed(stores.DB).Read(t.Context(), 0, []string{kind}, 1000)
	require.NoError(t, err)
	byOrder := map[string][]events.Event{}
	for _, e := range found {
		byOrder[e.Subject] = append(byOrder[e.Subject], e)
	}
	return byOrder
}

func TestEachBatchWritesOneRowWithAnEventOfEachOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Batch: 3, Limit: 5})
		orders := s.PlaceMany(t, 8)
		rows := func() (sizes []int) {
			require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &sizes,
				`SELECT events FROM events WHERE type = ?`, journal.OrderPlaced))
			return sizes
		}
		for _, step := range []string{"insert", "commit", "before_ack", "ack"} {
			_, err := s.Start(t, stage.CrashAt(step)).Mover.RunOnce(t.Context())
			require.ErrorIs(t, err, stage.ErrCrash, step)
			n := 0
			for _, size := range rows() {
				n += size
			}
			assert.Len(t, s.Stored(t), n, "after a crash at %s, the events of the orders that are stored", step)
		}
		s.Move(t)
		assert.ElementsMatch(t, []int{3, 3, 2}, rows())

		found := eventsOf(t, stores, journal.OrderPlaced)
		require.Len(t, found, len(orders))
		for _, o := range orders {
			require.Len(t, found[o.Number.String()], 1)
			e := found[o.Number.String()][0]
			assert.Equal(t, [2]any{o.User, o.PlacedAt}, [2]any{e.User, e.At})
			var data struct {
				Order struct {
					User   string       `json:"user_id"`
					Status order.Status `json:"status"`
					Items  []order.Item `json:"items"`
				} `json:"order"`
			}
			require.NoError(t, json.Unmarshal(e.Data, &data))
			assert.Equal(t, [2]any{o.User, order.Unpaid}, [2]any{data.Order.User, data.Order.Status})
			assert.Len(t, data.Order.Items, 1)
		}
	})
}
