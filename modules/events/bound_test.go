package events

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/test/kit"
)

func TestReadTakesNoMoreRowsThanItNeeds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 5 {
			placed := journal.Event{Type: journal.OrderPlaced, Subject: fmt.Sprint(i), User: "ada", AtMS: 1}
			require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				return journal.Write(t.Context(), tx, slices.Repeat([]journal.Event{placed}, 4)...)
			}))
		}
		_, err := NewSequencer(stores.DB, slog.New(slog.DiscardHandler)).RunOnce(t.Context())
		require.NoError(t, err)
		var ends []int64
		require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &ends, `SELECT position FROM events ORDER BY id`))
		for _, c := range []struct {
			after int64
			limit int
			row   int
			full  bool
		}{
			{0, 1, 0, true},
			{0, 4, 0, true},
			{0, 5, 1, true},
			{0, 8, 1, true},
			{0, 20, 4, true},
			{0, 21, 4, false},
			{ends[0] - 1, 1, 0, true}, // one event of the first row is left
			{ends[0] - 1, 2, 1, true},
			{ends[0] - 3, 7, 1, true},
			{ends[0] - 3, 8, 2, true},
			{ends[0], 4, 1, true},
			{ends[3] - 2, 6, 4, true},
			{ends[3] - 2, 7, 4, false},
		} {
			last, full, err := NewFeed(stores.DB).lastWithin(t.Context(), ` WHERE position > ?`,
				[]any{c.after, c.limit}, c.after, c.limit)
			require.NoError(t, err)
			assert.Equal(t, [2]any{ends[c.row], c.full}, [2]any{last, full}, "%d after %d", c.limit, c.after)
		}
		last, full, err := NewFeed(stores.DB).lastWithin(t.Context(), ` WHERE position > ?`,
			[]any{ends[4], 1}, ends[4], 1)
		require.NoError(t, err)
		assert.Equal(t, [2]any{int64(0), false}, [2]any{last, full}, "no row is left")
	})
}
