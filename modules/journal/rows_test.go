package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// placed returns n events of orders, each a second before the one before it.
func placed(n int) (events []Event) {
	for i := range n {
		events = append(events, Event{
			Type: OrderPlaced, Subject: fmt.Sprint("order-", i), User: fmt.Sprint("user-", i),
			AtMS: 1_748_464_000_123 - 1000*int64(i),
		})
	}
	return events
}

// unpacked returns the events of rows as the table has them.
func unpacked(t *testing.T, rows []row) (events []Event) {
	t.Helper()
	for _, r := range rows {
		assert.LessOrEqual(t, len(r.Data), MaxData)
		assert.LessOrEqual(t, r.Events, int64(MaxEvents))
		if r.Events == 1 {
			assert.Equal(t, r.AtMS, r.LastMS)
			events = append(events, Event{Type: r.Type, Subject: r.Subject, User: r.User, AtMS: r.AtMS, Data: r.Data})
			continue
		}
		assert.Empty(t, r.Subject+r.User)
		of, err := Unpack(r.Data, r.Events)
		require.NoError(t, err)
		for i := range of {
			of[i].Type = r.Type
		}
		byTime := slices.SortedFunc(slices.Values(of), func(a, b Event) int { return int(a.AtMS - b.AtMS) })
		assert.Equal(t, [2]int64{byTime[0].AtMS, byTime[len(of)-1].AtMS}, [2]int64{r.AtMS, r.LastMS})
		events = append(events, of...)
	}
	return events
}

func TestEventsOfOneTypeWithoutDataShareARow(t *testing.T) {
	t.Parallel()
	failed := placed(3)
	for i := range failed {
		failed[i].Type = OrderFailed
	}
	refund := Event{Type: OrderRefunded, Subject: "order-1", User: "user-1", AtMS: 1, Data: `{"status":"paid"}`}
	for _, c := range []struct {
		name   string
		events []Event
		want   []int64 // events by row
	}{
		{"none", nil, nil},
		{"an order alone", placed(1), []int64{1}},
		{"two orders", placed(2), []int64{2}},
		{"a full row", placed(MaxEvents), []int64{MaxEvents}},
		{"one more than a row has", placed(MaxEvents + 1), []int64{MaxEvents, 1}},
		{"more than two rows", placed(2*MaxEvents + 7), []int64{MaxEvents, MaxEvents, 7}},
		{"another type between them", slices.Concat(placed(2), failed, placed(4)), []int64{2, 3, 4}},
		{"events with data", []Event{refund, refund}, []int64{1, 1}},
		{"data between them", slices.Concat(placed(2), []Event{refund}, placed(1)), []int64{2, 1, 1}},
		{"data of the same type", []Event{refund, {Type: OrderRefunded}, {Type: OrderRefunded}}, []int64{1, 2}},
	} {
		rows, err := rowsOf(c.events)
		require.NoError(t, err, c.name)
		var got []int64
		for _, r := range rows {
			got = append(got, r.Events)
		}
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.events, unpacked(t, rows), c.name)
	}
}

func TestRowsWhoseListWouldBeTooLongAreSplit(t *testing.T) {
	t.Parallel()
	for _, user := range []string{strings.Repeat("u", 64), strings.Repeat(`"`, 64), strings.Repeat("<é\x01\\", 16)} {
		events := placed(MaxEvents)
		for i := range events {
			events[i].Subject, events[i].User = strings.Repeat("9", 64), user
		}
		events[99].User = ""
		rows, err := rowsOf(events)
		require.NoError(t, err)
		assert.Greater(t, len(rows), 1)
		assert.Equal(t, events, unpacked(t, rows))
	}
}

// SQL keeps these lists, and instances of other versions read them.
func TestListsHaveTheBytesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	rows, err := rowsOf([]Event{
		{
			Type: OrderPlaced, Subject: "7", AtMS: 1, User: "<a>&\"\\\u2028\xff数",
		},
		{Type: OrderPlaced, Subject: "8", AtMS: 2},
	})
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `[{"subject":"7","user_id":"\u003ca\u003e\u0026\"\\\u2028\ufffd数","at_ms":1},`+
		`{"subject":"8","at_ms":2}]`, rows[0].Data)
}

func TestAListThatWasChangedIsNotRead(t *testing.T) {
	t.Parallel()
	rows, err := rowsOf(placed(3))
	require.NoError(t, err)
	data := rows[0].Data
	for _, changed := range []string{"", "{}", data[:len(data)-1], "[" + data + "]", `[{"subject":1}]`} {
		_, err := Unpack(changed, 3)
		require.Error(t, err, changed)
	}
	_, err = Unpack(data, 2)
	assert.Error(t, err, "of another number of events")
}
