package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func join(t *testing.T, p *site.Person, activity string) client.Place {
	t.Helper()
	return site.Read[client.Place](t, http.StatusOK,
		p.Call(t, http.MethodPost, "/api/v1/seckill/line", "", client.LineRequest{ActivityID: activity}))
}

// awaitAdmission asks for a place until it is admitted: the clock of this instance may be behind the clock of the
// instance that gave the place.
func awaitAdmission(t *testing.T, p *site.Person, place string) {
	t.Helper()
	require.Eventually(t, func() bool {
		a := p.Insist(http.MethodGet, "/api/v1/seckill/line/"+place, "", nil)
		return strings.Contains(string(a.Body), `"status":"admitted"`)
	}, eventually, 20*time.Millisecond)
}

// pathWith asks for a path with a place.
func pathWith(t *testing.T, p *site.Person, activity, place string) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		client.PathRequest{ActivityID: activity, SKUID: "sku", Place: place})
}

func TestUsersOfAWaitingRoomAreAdmittedInTheirOrderAndBuyWithTheirPlaces(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{PathsPerSecond: 0.02, Stock: map[string]int64{"0": 3}})
		first := instances[0].Buyer(t, "first")
		ticket := join(t, first, activity)
		require.Equal(t, "admitted", ticket.Status, "nobody waits")
		assert.Less(t, time.Until(ticket.ExpiresAt), 2*time.Minute+time.Second)
		for i := range 6 {
			waits := join(t, instances[i%2].Buyer(t, fmt.Sprint("user-", i)), activity)
			require.Equal(t, "waiting", waits.Status)
			assert.InDelta(t, i, *waits.Ahead, 1, "one is admitted every 50 seconds")
			assert.Equal(t, *waits.Ahead >= 3, waits.Unlikely, "3 units, %d ahead", *waits.Ahead)
			assert.GreaterOrEqual(t, waits.RefreshAfterMs, 500)
		}
		room := instances[1].Operator(t).GetStats(t, activity).WaitingRoom
		require.NotNil(t, room)
		assert.InDelta(t, 6, int(room.Waiting), 1)
		assert.EqualValues(t, 7, room.Waiting+room.Admitted)
		assert.InDelta(t, 50*room.Waiting, int(room.LastWaitsS), 50)
		last := instances[0].Buyer(t, "last")
		lasts := join(t, last, activity)
		early := pathWith(t, last.At(instances[1]), activity, lasts.Place)
		requireRefusal(t, early, http.StatusConflict, "line_required")
		assert.Positive(t, parsed[client.Problem](early).RefreshAfterMs)
		requireRefusal(t, pathWith(t, last, activity, ""), http.StatusConflict, "line_required")
		requireRefusal(t, pathWith(t, last, activity, ticket.Place), http.StatusForbidden, "place_invalid")
		path := pathOf(pathWith(t, first.At(instances[1]), activity, ticket.Place))
		must(t, http.StatusAccepted, first.Submit(t, path, "k", one))
	})
}

func TestWhoJoinsBeforeTheStartIsAdmittedAfterItAndSeesThatOnAStream(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PathsPerSecond: 1000, StartsIn: 2 * time.Second})
		ada := s.Buyer(t, "ada")
		before := join(t, ada, activity)
		assert.Equal(t, "waiting", before.Status)
		assert.Nil(t, before.Ahead, "not known yet")
		assert.False(t, before.StartsAt.IsZero())
		assert.Equal(t, before.Place, join(t, ada, activity).Place)
		stream := ada.Follow(t, "/api/v1/seckill/line/"+before.Place+"/events")
		var place client.Place
		for place.Status != "admitted" {
			name, next, more := site.Next[client.Place](t, stream)
			require.True(t, more)
			require.Equal(t, "place", name)
			place = next
		}
		_, _, more := site.Next[client.Place](t, stream)
		assert.False(t, more, "nothing more will change")
		assert.NotEqual(t, before.Place, place.Place)
		for _, valid := range []string{before.Place, place.Place} {
			must(t, http.StatusOK, pathWith(t, ada, activity, valid))
		}
	})
}

func TestASaleWithoutAWaitingRoomAdmitsEverybody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		assert.Equal(t, client.Place{Status: "admitted"}, join(t, s.Buyer(t, "ada"), activity))
		must(t, http.StatusOK, pathWith(t, s.Buyer(t, "ada"), activity, "any"))
		assert.Nil(t, s.Operator(t).GetStats(t, activity).WaitingRoom)
	})
}

func TestAWaitingRoomSaysThatItsSaleIsOver(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PathsPerSecond: 0.01})
		ada := s.Buyer(t, "ada")
		ticket := join(t, ada, activity)
		s.Operator(t).TakeActivityOffline(t, activity)
		requireRefusal(t, ada.Call(t, http.MethodGet, "/api/v1/seckill/line/"+ticket.Place, "", nil),
			http.StatusConflict, "offline")
	})
}
