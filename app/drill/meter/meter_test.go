package meter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/buyer"
)

func TestTheTimeToTheFirstPathIsCounted(t *testing.T) {
	t.Parallel()
	m := New(time.Now())
	for range 99 {
		m.Admit(20 * time.Millisecond)
	}
	m.Admit(time.Hour) // as long as is counted
	r := m.Read()
	assert.EqualValues(t, 100, r.Admitted.Count)
	assert.InDelta(t, 20, r.Admitted.P99MS, 1)
	assert.InDelta(t, 300_000, r.Admitted.MaxMS, 4000)
	assert.Empty(t, r.Latencies, "it is not a call")
}

func TestOnlyWhatVisitorsAreAnsweredCounts(t *testing.T) {
	t.Parallel()
	m := New(time.Now())
	m.Add("orders", buyer.Answer{Code: buyer.OK}) // of the drill, before the sale
	m.Count(true)
	m.Add("orders", buyer.Answer{Code: buyer.OK})
	m.Count(false)
	m.Add("task", buyer.Answer{Code: buyer.OK}) // of the drill, after it
	r := m.Read()
	assert.Equal(t, map[string]int{"orders:ok": 1}, r.Answers)
	assert.Len(t, r.Latencies, 1)
	m.codes["orders:ok"]++
	assert.Equal(t, 1, r.Answers["orders:ok"], "a report doesn't change")
}
