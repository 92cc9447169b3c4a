package oplog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// writeAs writes changes in a transaction of their own.
func writeAs(ctx context.Context, db *sqldb.DB, made ...Entry) error {
	return db.InTx(ctx, func(tx *sqlx.Tx) error { return Record(ctx, tx, made...) })
}

func TestAChangeIsRecordedWithItsTransactionOnly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(noon)
		ctx := NewRecorder(clock.Now, rand.Uint32).By(t.Context(), "anna", "192.0.2.7")
		change := Entry{
			Action: "sku.changed", On: "sku:lamp", Before: map[string]int{"price": 1},
			After: map[string]int{"price": 2},
		}
		require.NoError(t, writeAs(t.Context(), s.DB, change), "of no operator")
		refused := errors.New("refused")
		require.ErrorIs(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			return errors.Join(Record(ctx, tx, change), refused)
		}), refused)
		list, err := NewLog(s.DB).List(t.Context(), Filter{}, 10)
		require.NoError(t, err)
		assert.Empty(t, list.Items)

		require.NoError(t, writeAs(ctx, s.DB, change))

		list, err = NewLog(s.DB).List(t.Context(), Filter{}, 10)
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		got := list.Items[0]
		assert.Equal(t, View{
			ID: got.ID, At: api.Millis(noon.UnixMilli()), Actor: "anna", ClientIP: "192.0.2.7", Action: "sku.changed",
			On: "sku:lamp", Before: json.RawMessage(`{"price":1}`), After: json.RawMessage(`{"price":2}`),
			Fields: []api.ChangedField{{Field: "price", From: json.RawMessage(`1`), To: json.RawMessage(`2`)}},
		}, got)
		for _, f := range []Filter{
			{Actor: "Anna"},
			{On: "sku:lam"},
			{Action: "sku.deleted"},
			{To: api.Millis(noon.UnixMilli())},
			{From: api.Millis(noon.UnixMilli() + 1)},
			{Before: got.ID},
		} {
			list, err := NewLog(s.DB).List(t.Context(), f, 10)
			require.NoError(t, err)
			assert.Empty(t, list.Items, "%+v", f)
		}
		at := api.Millis(noon.UnixMilli())
		all := Filter{Actor: "anna", On: "sku:lamp", Action: "sku.changed", From: at, To: at + 1, Before: got.ID + 1}
		list, err = NewLog(s.DB).List(t.Context(), all, 10)
		require.NoError(t, err)
		assert.Len(t, list.Items, 1)
	})
}

func TestIDsThatAreTakenAreReplaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		drawn := uint32(0)
		twice := func() uint32 { drawn++; return 100 * (drawn / 3) } // each number three times
		ctx := NewRecorder(kit.NewClock(noon).Now, twice).By(t.Context(), "anna", "")
		for i := range 5 {
			first := Entry{Action: "a.b", On: fmt.Sprint("x:", i)}
			require.NoError(t, writeAs(ctx, s.DB, first, Entry{Action: "a.b"}))
		}
		list, err := NewLog(s.DB).List(t.Context(), Filter{}, 100)
		require.NoError(t, err)
		assert.Len(t, list.Items, 10)
	})
}

func TestLongValuesAreOmittedAndManyChangesFit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := NewRecorder(kit.NewClock(noon).Now, rand.Uint32).By(t.Context(), "anna", "")
		var made []Entry
		for i := range 300 {
			made = append(made, Entry{Action: "a.b", On: "many", After: strings.Repeat("x", 10_000+i)})
		}
		require.NoError(t, writeAs(ctx, s.DB, append(made, Entry{
			Action: "a.b", On: "long", Before: strings.Repeat("x", maxValue), After: strings.Repeat("x", maxValue-2),
		})...))
		var n int
		require.NoError(t, s.DB.Read.GetContext(ctx, &n, `SELECT COUNT(*) FROM operator_log WHERE target = 'many'`))
		assert.Equal(t, 300, n)
		list, err := NewLog(s.DB).List(ctx, Filter{On: "long"}, 10)
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		assert.JSONEq(t, `{"omitted_bytes":65538}`, string(list.Items[0].Before))
		assert.Len(t, list.Items[0].After, maxValue)
	})
}

// Rows that are there when the walk begins are seen once each, while 48 operators add others.
func TestTheListByCursorMissesNothingAndRepeatsNothingUnderInserts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(noon)
		ctx := NewRecorder(clock.Now, rand.Uint32).By(t.Context(), "anna", "")
		want := map[string]bool{}
		for i := range 60 {
			on := fmt.Sprint("old:", i)
			want[on] = true
			require.NoError(t, writeAs(ctx, s.DB, Entry{Action: "a.b", On: on}))
			clock.Advance(time.Duration(i%2) * time.Millisecond)
		}
		clock.Advance(time.Millisecond)
		var writers sync.WaitGroup
		failed := make(chan error, 48)
		for w := range 48 {
			writers.Go(func() {
				for i := range 5 {
					if err := writeAs(ctx, s.DB, Entry{Action: "a.b", On: fmt.Sprint("new:", w, ".", i)}); err != nil {
						failed <- err
						return
					}
				}
			})
		}
		seen := map[string]int{}
		for f := (Filter{Actor: "anna"}); ; {
			list, err := NewLog(s.DB).List(t.Context(), f, 7)
			require.NoError(t, err)
			for _, v := range list.Items {
				seen[v.On]++
			}
			if list.NextCursor == "" {
				break
			}
			f.Before, err = ParseID("before", list.NextCursor)
			require.NoError(t, err)
		}
		writers.Wait()
		close(failed)
		require.NoError(t, <-failed)
		for on := range want {
			assert.Equal(t, 1, seen[on], on)
		}
		for on, n := range seen {
			assert.Equal(t, 1, n, on)
		}
		var n int
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM operator_log`))
		assert.Equal(t, 60+48*5, n)
	})
}

func TestChangesAreReadFromAnIndexInItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		recorder := NewRecorder(kit.NewClock(noon).Now, rand.Uint32)
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			for i := range 300 {
				ctx := recorder.By(t.Context(), fmt.Sprint("user-", i%30), "")
				change := Entry{Action: fmt.Sprint("a.b", i%30), On: fmt.Sprint("x:", i%30)}
				if err := Record(ctx, tx, change); err != nil {
					return err
				}
			}
			return nil
		}))
		for index, f := range map[string]Filter{
			"operator_log_actor": {Actor: "user-1"}, "operator_log_action": {Action: "a.b1"},
			"operator_log_target": {On: "x:1"},
		} {
			where := f.where()
			plan := kit.Explain(t, s.DB, `SELECT change_id FROM operator_log`+where.String()+
				` ORDER BY change_id DESC LIMIT 10`, where.Args()...)
			assert.Contains(t, plan, index)
			assert.NotContains(t, strings.ToLower(plan), "temp")
			assert.NotContains(t, plan, "filesort")
		}
	})
}

func TestOldChangesExpire(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(noon)
		ctx := NewRecorder(clock.Now, rand.Uint32).By(t.Context(), "anna", "")
		require.NoError(t, writeAs(ctx, s.DB, Entry{Action: "a.b", On: "old"}))
		clock.Advance(time.Second)
		require.NoError(t, writeAs(ctx, s.DB, Entry{Action: "a.b", On: "new"}))
		for _, e := range Expiries(clock.Now()) {
			n, err := s.DB.Expire(ctx, e)
			require.NoError(t, err)
			assert.Equal(t, 1, n)
		}
		list, err := NewLog(s.DB).List(ctx, Filter{}, 10)
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		assert.Equal(t, "new", list.Items[0].On)
	})
}
