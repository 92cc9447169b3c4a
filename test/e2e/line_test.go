package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// place is a place in a waiting room.
type place struct {
	Place        string    `json:"place"`
	Status       string    `json:"status"`
	Ahead        *int      `json:"ahead"`
	Unlikely     bool      `json:"unlikely"`
	StartsAt     time.Time `json:"starts_at"`
	ExpiresAt    time.Time `json:"expires_at"`
	RefreshAfter int       `json:"refresh_after_ms"`
}

func join(t *testing.T, p *site.Person, activity string) (got place) {
	t.Helper()
	a := p.Call(t, http.MethodPost, "/api/v1/seckill/line", "", map[string]string{"activity_id": activity})
	must(t, http.StatusOK, a)
	a.Into(t, &got)
	return got
}

// pathWith asks for a path with a place.
func pathWith(t *testing.T, p *site.Person, activity, place string) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": activity, "sku_id": "sku", "place": place})
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
			assert.GreaterOrEqual(t, waits.RefreshAfter, 500)
		}
		last := instances[0].Buyer(t, "last")
		lasts := join(t, last, activity)
		early := pathWith(t, last.At(instances[1]), activity, lasts.Place)
		requireRefusal(t, early, http.StatusConflict, "line_required")
		assert.Positive(t, early.JSON(t)["refresh_after_ms"])
		requireRefusal(t, pathWith(t, last, activity, ""), http.StatusConflict, "line_required")
		requireRefusal(t, pathWith(t, last, activity, ticket.Place), http.StatusForbidden, "place_invalid")
		path := answered(pathWith(t, first.At(instances[1]), activity, ticket.Place), "path")
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
		var data map[string]any
		for data["status"] != "admitted" {
			name, next, more := stream.Next(t)
			require.True(t, more)
			require.Equal(t, "place", name)
			data = next
		}
		_, _, more := stream.Next(t)
		assert.False(t, more, "nothing more will change")
		numbered := data["place"].(string)
		assert.NotEqual(t, before.Place, numbered)
		for _, valid := range []string{before.Place, numbered} {
			must(t, http.StatusOK, pathWith(t, ada, activity, valid))
		}
	})
}

func TestASaleWithoutAWaitingRoomAdmitsEverybody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		assert.Equal(t, place{Status: "admitted"}, join(t, s.Buyer(t, "ada"), activity))
		must(t, http.StatusOK, pathWith(t, s.Buyer(t, "ada"), activity, "any"))
	})
}

func TestAWaitingRoomSaysThatItsSaleIsOver(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PathsPerSecond: 0.01})
		ada := s.Buyer(t, "ada")
		ticket := join(t, ada, activity)
		s.Operator(t).Call(t, http.MethodPost, admin+"/activities/"+activity+"/offline", "", nil)
		requireRefusal(t, ada.Call(t, http.MethodGet, "/api/v1/seckill/line/"+ticket.Place, "", nil),
			http.StatusConflict, "offline")
	})
}
