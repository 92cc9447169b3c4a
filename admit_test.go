package onrush_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/onrushtest"
)

// membersOnly admits members, and fails for others as their names say.
func membersOnly(ctx context.Context, a onrush.Admission) error {
	switch a.User {
	case "member":
		return nil
	case "panic":
		panic("the members are broken")
	case "away":
		return errors.New("the members can't be read")
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	}
	return &onrush.NotAdmitted{Reason: "For members of " + a.Activity + " only."}
}

// Nobody whom the host doesn't admit orders, whatever its function does, and nobody else is harmed.
func TestTheHostDecidesWhoMayBuy(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{Admit: membersOnly})
	sale := p.Sale(onrushtest.Sale{})
	for user, want := range map[string]int{"stranger": 403, "panic": 503, "away": 503, "hang": 503} {
		_, err := p.Buyer(user).TryBuy(sale, 1)
		refused, ok := errors.AsType[*onrush.Problem](err)
		require.True(t, ok, "%s: %v", user, err)
		assert.Equal(t, want, refused.Status, user)
		if user == "stranger" {
			assert.Equal(t, "not_admitted", refused.Code)
			assert.Equal(t, "For members of "+sale.ID+" only.", refused.Detail)
		}
	}
	p.Buyer("member").Buy(sale, 1)
}

// A route of the shop's decides over HTTP, and is asked only about buyers who could get a path.
func TestARouteOfTheShopDecidesWhoMayBuy(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"user_id":"member"`) {
			_, _ = io.WriteString(w, `{"admitted":true}`)
			return
		}
		_, _ = io.WriteString(w, `{"admitted":false,"reason":"Members only."}`)
	}))
	t.Cleanup(shop.Close)
	const secret = " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	p := onrushtest.New(t, onrush.Config{Settings: map[string]string{"ONRUSH_ADMIT_URL": shop.URL + secret}})
	sale := p.Sale(onrushtest.Sale{Units: 1})
	_, err := p.Buyer("stranger").TryBuy(sale, 1)
	require.ErrorContains(t, err, "Members only.")
	p.Buyer("member").Buy(sale, 1)
	assert.EqualValues(t, 2, asked.Load())
	require.Eventually(t, func() bool { // the stock that is known is at most 20 ms old
		_, err := p.Buyer("late").TryBuy(sale, 1)
		return strings.Contains(err.Error(), "sold_out")
	}, time.Minute, 10*time.Millisecond)
	known := asked.Load()
	_, err = p.Buyer("later").TryBuy(sale, 1)
	require.ErrorContains(t, err, "sold_out")
	assert.Equal(t, known, asked.Load())

	_, err = onrush.New(t.Context(), onrush.Config{
		Dir: t.TempDir(), Admit: membersOnly, Settings: map[string]string{"ONRUSH_ADMIT_URL": shop.URL + secret},
	})
	require.ErrorContains(t, err, "ONRUSH_ADMIT_URL")
}
