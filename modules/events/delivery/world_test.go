package delivery_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	mrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/journal"
	"onrush/test/kit"
)

// world has a store with events, and a clock that only the test advances.
type world struct {
	stores  *kit.Stores
	clock   *kit.Clock
	service *delivery.Service
	cfg     delivery.Config
	log     *slog.Logger
	written map[string]int // events by subject
}

func open(t *testing.T, stores *kit.Stores, cfg delivery.Config) *world {
	t.Helper()
	cfg.Private = delivery.Private{All: true}
	w := &world{
		stores: stores, cfg: cfg, clock: kit.NewClock(time.Now().Truncate(time.Second)),
		log: slog.New(slog.DiscardHandler), written: map[string]int{},
	}
	w.service = delivery.NewService(cfg, w.deps("operators", nil))
	return w
}

func (w *world) deps(instance string, faults delivery.Faults) delivery.Deps {
	return delivery.Deps{
		DB: w.stores.DB, Feed: events.NewFeed(w.stores.DB), Now: w.clock.Now, Instance: instance,
		Random: mrand.Uint64, Secrets: rand.Reader, Log: w.log, Faults: faults,
	}
}

// instance returns a Deliverer of one more instance of the program.
func (w *world) instance(name string, faults delivery.Faults) *delivery.Deliverer {
	return delivery.NewDeliverer(w.cfg, w.deps(name, faults))
}

// happens writes n more events of each subject, one subject after the other, and numbers them.
func (w *world) happens(t testing.TB, n int, subjects ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	var all []journal.Event
	for range n {
		for _, subject := range subjects {
			w.written[subject]++
			all = append(all, journal.Event{
				Type: journal.PaymentFlagged, Subject: subject, User: "ann", AtMS: w.clock.Now().UnixMilli(),
				Data: fmt.Sprintf(`{"subject":%q,"n":%d}`, subject, w.written[subject]),
			})
		}
	}
	require.NoError(t, w.stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return journal.Write(ctx, tx, all...) }))
	_, err := events.NewSequencer(w.stores.DB, w.log).RunOnce(ctx)
	require.NoError(t, err)
}

// places writes the events of n new orders that were stored together, and so share rows, and numbers them. Each order
// is a subject.
func (w *world) places(t testing.TB, n int) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	all := make([]journal.Event, n)
	for i := range all {
		number := fmt.Sprint(7000 + len(w.written))
		w.written[number]++
		all[i] = journal.Event{
			Type: journal.OrderPlaced, Subject: number, User: "ann",
			AtMS: w.clock.Now().Add(time.Duration(i) * time.Minute).UnixMilli(),
		}
	}
	require.NoError(t, w.stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return journal.Write(ctx, tx, all...) }))
	_, err := events.NewSequencer(w.stores.DB, w.log).RunOnce(ctx)
	require.NoError(t, err)
}

// subjects returns n names of subjects.
func subjects(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("order-%d", i))
	}
	return names
}

// registers makes an endpoint for a receiver, which gets its secret.
func (w *world) registers(t testing.TB, id string, r *receiver) {
	t.Helper()
	made, fresh, err := w.service.Put(context.WithoutCancel(t.Context()), id,
		delivery.Settings{URL: r.server.URL + "/events?token=4711", Enabled: true})
	require.NoError(t, err)
	require.True(t, fresh)
	r.trusts(made.Secret)
}

// works lets a deliverer work until it has nothing to do, and returns how many requests it made.
func works(t testing.TB, d *delivery.Deliverer) (sent int) {
	t.Helper()
	for {
		n, err := d.RunOnce(context.WithoutCancel(t.Context()))
		require.NoError(t, err)
		if sent += n; n == 0 {
			return sent
		}
	}
}

// endpoint reads an endpoint.
func (w *world) endpoint(t testing.TB, id string) delivery.Endpoint {
	t.Helper()
	e, err := w.service.Get(context.WithoutCancel(t.Context()), id)
	require.NoError(t, err)
	return e
}

// deliveries reads the whole log of an endpoint, by pages of 7.
func (w *world) deliveries(t testing.TB, id, status string) (all []delivery.Delivery) {
	t.Helper()
	before := int64(0)
	for {
		page, err := w.service.Log(context.WithoutCancel(t.Context()), id, status, before, 7)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all
		}
		before = all[len(all)-1].Event
	}
}

// assertComplete requires that the receiver accepted every event at least once, the events of a subject in their order,
// and that the log has each of them once, as delivered.
func (w *world) assertComplete(t testing.TB, id string, r *receiver) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	total := 0
	for subject, n := range w.written {
		total += n
		highest := 0
		for _, got := range r.accepted[subject] {
			if got == highest+1 {
				highest++
			}
			assert.LessOrEqual(t, got, highest, "%s: event %d came before %d", subject, got, highest+1)
		}
		assert.Equal(t, n, highest, "events of %s", subject)
	}
	var rows, done int
	require.NoError(t, w.stores.DB.Read.GetContext(context.WithoutCancel(t.Context()), &rows,
		`SELECT COUNT(*) FROM deliveries WHERE endpoint_id = ?`, id))
	require.NoError(t, w.stores.DB.Read.GetContext(context.WithoutCancel(t.Context()), &done,
		`SELECT COUNT(*) FROM deliveries WHERE endpoint_id = ? AND status = 'delivered'`, id))
	assert.Equal(t, [2]int{total, total}, [2]int{rows, done}, "rows of the log, and delivered ones")
	assert.Zero(t, w.endpoint(t, id).Waiting)
}

// receiver is a platform that takes webhooks. It verifies signatures with the library of the standard.
type receiver struct {
	server *httptest.Server
	hung   chan struct{} // closed at the end

	mu       sync.Mutex
	secrets  []string
	behave   func(subject string, n int) int // the status to answer with; 0 hangs, -1 hangs up
	after    string                          // Retry-After
	accepted map[string][]int                // by subject, in the order of their coming
	requests int
	inFlight int
	most     int // requests in flight at the same time
	wrong    []string
	ids      map[string]int // the number of requests by webhook-id
}

func receive(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{accepted: map[string][]int{}, ids: map[string]int{}, hung: make(chan struct{})}
	r.server = httptest.NewServer(http.HandlerFunc(r.handle))
	t.Cleanup(func() {
		close(r.hung)
		r.server.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		assert.Empty(t, r.wrong)
	})
	return r
}

func (r *receiver) trusts(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = secrets
}

// behaves sets the status of the answers.
func (r *receiver) behaves(f func(subject string, n int) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behave = f
}

// wants sets the Retry-After of the answers.
func (r *receiver) wants(after string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.after = after
}

func (r *receiver) asksToWait() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.after
}

func (r *receiver) always(status int) { r.behaves(func(string, int) int { return status }) }

func (r *receiver) handle(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	status, subject, n := r.begin(req, body, err)
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.inFlight--
	}()
	switch status {
	case 0:
		select {
		case <-req.Context().Done():
		case <-r.hung:
		}
		return
	case -1:
		panic(http.ErrAbortHandler)
	}
	if status < 300 {
		r.mu.Lock()
		r.accepted[subject] = append(r.accepted[subject], n)
		r.mu.Unlock()
	}
	w.Header().Set("Location", "/elsewhere")
	if after := r.asksToWait(); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, strings.Repeat("é", 400))
}

// begin checks a request and decides its answer.
func (r *receiver) begin(req *http.Request, body []byte, err error) (status int, subject string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	r.inFlight++
	r.most = max(r.most, r.inFlight)
	for _, secret := range r.secrets {
		key, bad := webhooks.NewWebhook(secret)
		if bad == nil && err == nil {
			err = key.VerifyIgnoringTimestamp(body, req.Header)
		}
	}
	var event struct {
		ID   string `json:"event_id"`
		Type string `json:"type"`
		At   string `json:"at"`
		Data struct {
			Subject string `json:"subject"`
			N       int    `json:"n"`
			Order   struct {
				Number string `json:"order_number"`
			} `json:"order"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	kind := journal.PaymentFlagged
	if event.Type == journal.ReminderDue {
		kind = journal.ReminderDue
	}
	if placed := event.Data.Order.Number; placed != "" {
		kind, event.Data.Subject, event.Data.N = journal.OrderPlaced, placed, 1
	}
	isTest := event.Type == "endpoint.test"
	if err != nil || !isTest && (req.Header.Get("Webhook-Id") != "evt_"+event.ID || event.Type != kind) ||
		req.URL.Path != "/events" || event.At == "" {
		r.wrong = append(r.wrong, fmt.Sprintf("%s %s: %v", req.URL.Path, body, err))
	}
	r.ids[event.ID]++
	status = http.StatusNoContent
	if r.behave != nil {
		status = r.behave(event.Data.Subject, event.Data.N)
	}
	return status, event.Data.Subject, event.Data.N
}

// got returns how many events of a subject were accepted, without repetitions.
func (r *receiver) got(subject string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(slices.Compact(slices.Sorted(slices.Values(r.accepted[subject]))))
}

// asked returns how many requests came.
func (r *receiver) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}
