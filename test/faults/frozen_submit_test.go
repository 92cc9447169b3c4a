package faults

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	freezes      = 18 // rounds
	freezeBuyers = 32
)

// When a frozen Redis thaws.
const (
	thawAtOnce  = iota // in time for all
	thawAtFirst        // when the first buyer has given up
	thawTooLate        // when all that waited have given up
	thaws              // how many there are
)

// frozenRound lets buyers submit at once and freezes Redis when some of them are answered. It
// returns the answer of each: an order number, or "" for an unknown outcome.
func frozenRound(
	t *testing.T, server *kit.Server, people []*site.Person, paths []string, key string, after, thaw int,
) []string {
	t.Helper()
	acknowledged := make([]string, len(people))
	answers := make(chan bool, len(people)) // whether it was a number
	for i, p := range people {
		go func() {
			a, err := p.Try(context.WithoutCancel(t.Context()), http.MethodPost, "/api/v1/seckill/"+paths[i]+"/submit",
				key, map[string]any{"quantity": 1})
			switch {
			case !assert.NoError(t, err):
			case a.Status == http.StatusAccepted:
				acknowledged[i] = a.JSON(t)["order_number"].(string)
			default:
				assert.Equal(t, "unavailable", a.Code(), string(a.Body))
				assert.NotEmpty(t, a.JSON(t)["task_id"], "an unknown outcome names its task")
			}
			answers <- acknowledged[i] != ""
		}()
	}
	answered, gaveUp := 0, 0
	wait := func(enough func() bool) {
		for answered < len(people) && !enough() {
			answered++
			if !<-answers {
				gaveUp++
			}
		}
	}
	wait(func() bool { return answered >= after })
	server.Freeze(t)
	switch thaw {
	case thawAtFirst:
		wait(func() bool { return gaveUp > 0 })
	case thawTooLate:
		wait(func() bool { return false })
	}
	server.Thaw(t)
	wait(func() bool { return false })
	return acknowledged
}

func TestRetryAfterRedisFrozeDuringTheSubmitMakesOneOrder(t *testing.T) {
	t.Parallel()
	stores, server := ownRedis(t)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": freezes*freezeBuyers + 10}})
	random := kit.Rand(4)
	people := make([]*site.Person, freezeBuyers)
	paths := make([]string, freezeBuyers)
	for i := range people {
		people[i] = s.Buyer(t, fmt.Sprintf("user%d", i))
		paths[i] = people[i].Path(t, activity, "sku")
	}

	numbers := map[string]bool{}
	unknown, late := 0, 0
	for round := range freezes {
		key := fmt.Sprintf("round%d", round)
		acknowledged := frozenRound(t, server, people, paths, key, random.IntN(freezeBuyers/4), round%thaws)
		had := map[string]bool{} // orders that were placed before the retries
		for _, e := range queued(t, s, activity) {
			had[e.Number.String()] = true
		}
		for i, p := range people {
			var number string
			waitFor(t, "the retry is answered", func() bool {
				a := p.Submit(t, paths[i], key, map[string]any{"quantity": 1})
				if a.Status == http.StatusAccepted {
					number = a.JSON(t)["order_number"].(string)
				}
				return number != ""
			})
			if acknowledged[i] == "" {
				unknown++
				if had[number] {
					late++
				}
			} else {
				require.Equal(t, acknowledged[i], number, "the retry of an order that was placed")
			}
			require.False(t, numbers[number], "an order of two buyers or keys")
			numbers[number] = true
		}
		require.Len(t, queued(t, s, activity), len(people), "one queue entry per buyer")
		s.Drain(t)
	}
	t.Logf("%d submits had an unknown outcome; %d of them had been placed", unknown, late)
	require.Positive(t, unknown, "no submit was caught by the freeze")
	stored := rows(t, stores, activity)
	assert.Len(t, stored, freezes*freezeBuyers)
	for number := range stored {
		assert.True(t, numbers[number], "order %s has no buyer", number)
	}
	requireSound(t, stores, activity)
	assert.Empty(t, s.Audit(t, activity))
	assert.Equal(t, "10", remaining(t, s, activity)["sku"])
}

// queued are the entries of an activity's queue.
func queued(t testing.TB, s *site.Site, activity string) []order.Entry {
	t.Helper()
	log := s.Stores.Keys.Queue(site.Lane(t, s.Stores, activity))
	raws, err := s.Stores.Redis.LRange(t.Context(), log, 0, -1).Result()
	require.NoError(t, err)
	return queue.EntriesOf(activity, raws)
}
