package lua

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/ids"
)

var (
	anID   = rapid.StringMatching(`[A-Za-z0-9._:-]{1,64}`).Filter(ids.Valid)
	anyone = rapid.StringMatching(`[^\x00-\x1f\x7f]{1,64}`) // a user id may have the separator
)

// Values that are read as what they were written from are different for different ids.
func TestValuesOfAnyIDsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sku, point, activity := anID.Draw(t, "sku"), anID.Draw(t, "point"), anID.Draw(t, "activity")
		user, n := anyone.Draw(t, "user"), rapid.Int64Range(0, 1<<62).Draw(t, "n")

		entry, err := ParseEntry(FormatEntry(n, n/3, activity, user))
		require.NoError(t, err)
		assert.Equal(t, Entry{strconv.FormatInt(n, 10), n / 3, activity, user}, entry)

		held, ok := ParseHeld(FormatHeld(sku, point, n, user))
		assert.True(t, ok)
		assert.Equal(t, Held{sku, point, n, user, "", false}, held)
		assert.Equal(t, FormatHeld(sku, point, n, user), held.String())
		held.Key = rapid.StringMatching(`[A-Za-z0-9_-]{22}`).Draw(t, "limit key")
		held.Reserved = rapid.Bool().Draw(t, "reserved")
		keyed, ok := ParseHeld(held.String())
		assert.True(t, ok)
		assert.Equal(t, held, keyed)

		parts, ok := ids.Split(StockField(sku, point), 2)
		assert.True(t, ok)
		assert.Equal(t, []string{sku, point}, parts)
		assert.NotEqual(t, anID.Draw(t, "other"), StockField(sku, point), "no sku has the field of a point")

		for _, counted := range []string{CountedAll, CountedSKU(sku)} {
			of, name, ok := ParseBoughtField(BoughtField(counted, user))
			assert.True(t, ok)
			assert.Equal(t, []string{counted, user}, []string{of, name})
		}
	})
}

// The scripts write the same values as Go, and take them apart.
func TestScriptsKeepAnyIDsApart(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9")
	k := all.keys()
	next := 0
	rapid.Check(t, func(rt *rapid.T) {
		sku, point, user := anID.Draw(rt, "sku"), anID.Draw(rt, "point"), anyone.Draw(rt, "user")
		all.each(t, func(s *Scripts) error {
			if err := s.Redis.Del(t.Context(), k.Stock(lane, activity), k.Bought(lane, activity)).Err(); err != nil {
				return err
			}
			return s.Redis.HSet(t.Context(), k.Meta(lane, activity), "epoch", 7, "limit:"+sku, 9).Err()
		})
		require.Equal(rt, ChangeApplied, change(t, all, "change"+strconv.Itoa(next), sku, point, 8))
		next++
		full := all.hash(t, k.Stock(lane, activity))
		require.Equal(rt, map[string]string{sku: "8", StockField(sku, point): "8"}, full)
		o := buy(strconv.Itoa(next), user, 3)
		o.SKU, o.Point = sku, point

		require.Equal(rt, []PlaceResult{placedAs(o)}, place(t, all, o))

		assert.Equal(rt, map[string]string{sku: "5", StockField(sku, point): "5"}, all.hash(t, k.Stock(lane, activity)))
		assert.Equal(rt, map[string]string{BoughtField(CountedAll, user): "3", BoughtField(CountedSKU(sku), user): "3"},
			all.hash(t, k.Bought(lane, activity)))
		assert.Equal(rt, FormatHeld(sku, point, 3, user), all.hash(t, k.Held(lane, activity))[o.Number])
		assert.Equal(rt, []ReturnCode{Returned}, giveBack(t, all, o.Number))
		assert.Equal(rt, full, all.hash(t, k.Stock(lane, activity)))
		assert.Empty(rt, all.hash(t, k.Bought(lane, activity)))
	})
}

// Where ids were separated by what they may have, these two stocks were one.
func TestIDsThatLookAlikeWhenTheyAreJoinedHaveStocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	change(t, all, "c1", "a:b", "c", 2)
	change(t, all, "c2", "a", "b:c", 3)
	stock := all.hash(t, all.keys().Stock(lane, activity))
	assert.Equal(t, []string{"2", "2", "3", "3"}, []string{stock["a:b"], stock["a:b~c"], stock["a"], stock["a~b:c"]})
}

func TestTaskIDRoundTrips(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{
		{Number: "1", State: TaskSubmitted, Digest: "d"},
		{Number: "2", State: TaskFailed, Digest: "d", Reason: "sold out: no unit at 1"},
	} {
		read, err := ParseTask(task.String())
		require.NoError(t, err)
		assert.Equal(t, task, read)
	}
	for _, value := range []string{"", "1", "1:P", ":P:d", "1:X:d", strings.Repeat(":", 3)} {
		_, err := ParseTask(value)
		assert.Error(t, err, value)
	}
}
