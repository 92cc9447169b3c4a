package crowd_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/crowd"
	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// send sends a crowd into a sale and returns the answer.
func send(t *testing.T, s *site.Site, body map[string]any) site.Answer {
	t.Helper()
	return s.Stranger().Call(t, http.MethodPost, "/dev/crowd", "", body)
}

func state(t *testing.T, s *site.Site) (now crowd.State) {
	t.Helper()
	a := s.Stranger().Call(t, http.MethodGet, "/dev/crowd", "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	a.Into(t, &now)
	return now
}

// ended waits until the crowd has left.
func ended(t *testing.T, s *site.Site) (last crowd.State) {
	t.Helper()
	require.Eventually(t, func() bool {
		last = state(t, s)
		return !last.Running
	}, 2*time.Minute, 20*time.Millisecond)
	return last
}

// stored returns how many orders of a sale SQL has, once all are moved, and how many buyers they have.
func stored(t *testing.T, s *site.Site, activity string) (orders, buyers int) {
	t.Helper()
	s.Drain(t)
	require.NoError(t, s.Stores.DB.Read.QueryRowxContext(t.Context(),
		`SELECT COUNT(*), COUNT(DISTINCT user_id) FROM orders WHERE activity_id = ?`, activity).Scan(&orders, &buyers))
	return orders, buyers
}

// sellsOut checks that a crowd buys exactly the 100 units of a sale.
func sellsOut(t *testing.T, s *site.Site, activity string, buyers int) {
	t.Helper()
	a := send(t, s, map[string]any{"activity_id": activity, "buyers": buyers})
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	var first crowd.State
	a.Into(t, &first)
	assert.True(t, first.Running)
	last := ended(t, s)
	t.Logf("%+v", last)
	assert.Equal(t, activity, last.ActivityID)
	assert.Equal(t, buyers, last.Buyers)
	assert.Equal(t, 100, last.Ordered)
	assert.Equal(t, buyers-100, last.Refused)
	assert.Zero(t, last.Waiting)
	assert.EqualValues(t, 100, last.UnitsBefore)
	assert.Zero(t, last.UnitsLeft)
	assert.Zero(t, last.Drift)
	require.NotNil(t, last.OK)
	assert.True(t, *last.OK)
	assert.Equal(t, 100, last.Answers["submit:ok"])
	sum := 0
	for _, n := range last.Answers {
		sum += n
	}
	assert.Equal(t, last.Requests, sum)
	orders, buyers := stored(t, s, activity)
	assert.Equal(t, 100, orders)
	assert.Equal(t, 100, buyers)
}

func TestAThousandBuyersGetTheHundredUnitsOfASale(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	assert.Zero(t, state(t, s).Buyers)
	sellsOut(t, s, s.Open(t, site.Sale{}), 1000)
	// Another crowd has other users, whom no limit of purchases knows.
	sellsOut(t, s, s.Open(t, site.Sale{SKU: "other", PurchaseLimit: 1, SKULimit: 1}), 1000)
}

func TestACrowdPassesEveryGate(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.Limits.Mode, cfg.Limits.User, cfg.Limits.Address, cfg.PowDifficulty = "on", "20/1s", "20/1s", 1000
	}))
	activity := s.Open(t, site.Sale{
		StartsIn: time.Second, PermitRatio: 1, PathsPerSecond: 500, HumanCheck: human.ProofOfWork, PurchaseLimit: 1,
		Segments: "members vip",
	})
	sellsOut(t, s, activity, 300)
	last := state(t, s)
	for _, answer := range []string{"path:human_check_required", "challenge:ok", "line:ok", "path:ok"} {
		assert.Positive(t, last.Answers[answer], answer)
	}
}

// The point north sends goods to its region, south only has them picked up, and the default point sends them to the
// regions that no other point serves. All units are sold: buyers whose goods are sold out take others.
func TestACrowdBuysPhysicalGoodsAtEachOfTheirPoints(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{
		Kind: catalogue.Physical, Stock: map[string]int64{catalogue.DefaultPoint: 50, "north": 30, "south": 20},
		Regions: map[string][]string{"north": {"region-north"}},
	})
	_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{
		ID: "north", Name: "north", Regions: []string{"region-north"},
	})
	require.NoError(t, err)
	sellsOut(t, s, activity, 110) // of whom some find their first choice sold out; 20 pick up, all that south has
	assert.GreaterOrEqual(t, state(t, s).Answers["address:ok"], 80, "the units of the other points are sent")
}

// Only north has both parts of the bundle, so that its buyers live there.
func TestACrowdBuysABundleWhereItsPartsAre(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{
		Kind: catalogue.Physical, Stock: map[string]int64{"north": 10}, Others: []string{"blue"},
		Parts:   seckill.Parts{{SKU: "blue", Quantity: 2}, {SKU: "sku", Quantity: 1}},
		Regions: map[string][]string{"north": {"region-north"}},
	})
	a := send(t, s, map[string]any{"activity_id": activity, "sku_id": "set", "buyers": 7})
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	assert.Equal(t, 5, ended(t, s).Ordered)
}

func TestACrowdIsForOneSKUIfItSaysSo(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{})
	for _, body := range []map[string]any{
		{},
		{"activity_id": activity, "buyers": 0},
		{"activity_id": activity, "buyers": 5001},
		{"activity_id": activity, "sku_id": "nothing"},
		{"activity_id": activity, "more": 1},
	} {
		assert.Equal(t, http.StatusUnprocessableEntity, send(t, s, body).Status, "%v", body)
	}
	assert.Equal(t, http.StatusNotFound, send(t, s, map[string]any{"activity_id": "nothing"}).Status)
	draft := s.Open(t, site.Sale{Draft: true})
	assert.Equal(t, http.StatusNotFound, send(t, s, map[string]any{"activity_id": draft}).Status)
	a := send(t, s, map[string]any{"activity_id": activity, "sku_id": "sku", "buyers": 7})
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	last := ended(t, s)
	assert.Equal(t, 7, last.Ordered)
	assert.EqualValues(t, 93, last.UnitsLeft)
}

func TestOfTwoCrowdsAtOnceOneIsRefused(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{StartsIn: time.Second})
	answers := kit.AtOnce(2, func(int) site.Answer {
		body := map[string]any{"activity_id": activity, "buyers": 10}
		return s.Stranger().Ask(http.MethodPost, "/dev/crowd", "", body)
	})
	assert.ElementsMatch(t, []int{202, 409}, []int{answers[0].Status, answers[1].Status})
	assert.Contains(t, []string{answers[0].Code(), answers[1].Code()}, "conflict")
	assert.Equal(t, 10, ended(t, s).Ordered)
}

// A page of a stranger may give its own name the address of this program.
func TestAProgramForDevelopmentAnswersOnlyUnderItsOwnNames(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	for _, route := range []string{"POST /dev/token", "POST /dev/crowd", "GET /dev/crowd"} {
		for host, refused := range map[string]bool{"localhost": false, "evil.example": true} {
			method, path, _ := strings.Cut(route, " ")
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(""))
			require.NoError(t, err)
			req.Host = host
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, refused, res.StatusCode == http.StatusForbidden,
				"%s of %s: %d", route, host, res.StatusCode)
			assert.NotEqual(t, http.StatusNotFound, res.StatusCode, route)
		}
	}
}

func TestThereIsNoCrowdWithoutTokensForDevelopment(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	activity := s.Open(t, site.Sale{})
	assert.Equal(t, http.StatusNotFound, send(t, s, map[string]any{"activity_id": activity}).Status)
	assert.Equal(t, http.StatusNotFound, s.Stranger().Call(t, http.MethodGet, "/dev/crowd", "", nil).Status)
}

func TestAProgramThatStopsSendsItsCrowdAway(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{PathsPerSecond: 0.1})
	require.Equal(t, http.StatusAccepted, send(t, s, map[string]any{"activity_id": activity}).Status)
	require.Eventually(t, func() bool { return state(t, s).Answers["line:ok"] > 0 }, time.Minute, 10*time.Millisecond)
	began := time.Now()
	s.Stop(t)
	assert.Less(t, time.Since(began), 30*time.Second, "the buyers would wait for a minute")
}
