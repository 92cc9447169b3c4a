package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// platform is an endpoint that verifies signatures, and refuses the first request.
type platform struct {
	mu       sync.Mutex
	secret   string
	requests int
	events   []client.PlatformEvent
	wrong    []error
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	key, bad := webhooks.NewWebhook(p.secret)
	if err == nil && bad == nil {
		err = key.Verify(body, r.Header)
	}
	var event client.PlatformEvent
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil || bad != nil {
		p.wrong = append(p.wrong, err, bad)
	}
	if p.requests++; p.requests == 1 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	p.events = append(p.events, event)
}

// of returns the events of an order, in the order in which they came.
func (p *platform) of(number string) (types []string, last client.PlatformEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if e.Data.Order.OrderNumber == number {
			types, last = append(types, e.Type), e
		}
	}
	return types, last
}

func TestAPlatformHearsThatOrdersArePlacedAndPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		private := site.Configured(func(cfg *server.Config) { cfg.EventsAllowPrivate = []string{"true"} })
		w := newPaySale(t, stores, site.Sale{}, private)
		other := site.Start(t, stores, private)
		p := &platform{}
		receiver := httptest.NewServer(p)
		t.Cleanup(receiver.Close)
		made := site.Read[client.Endpoint](t, http.StatusCreated,
			other.Operator(t).Call(t, http.MethodPut, admin+"/endpoints/erp", "",
				client.EndpointRequest{URL: receiver.URL, Types: []string{"order.placed", "order.paid"}}))
		p.mu.Lock()
		p.secret = made.Secret
		p.mu.Unlock()
		number := w.buyer.Submit(t, w.buyer.Path(t, w.activity, "sku"), "k1",
			client.SubmitRequest{RoomID: "room-7"}).Placed(t).OrderNumber
		w.notify(t, w.payment(t, number))
		require.Eventually(t, func() bool {
			types, _ := p.of(number)
			return len(types) >= 2
		}, eventually, soon)
		types, last := p.of(number)
		assert.Equal(t, []string{"order.placed", "order.paid"}, types)
		assert.Equal(t, "paid", last.Data.Order.Status)
		assert.Equal(t, "room-7", last.Data.Order.RoomID, "the buyer's attribution")
		assert.Empty(t, p.wrong)
		log := site.Read[client.EventDeliveryList](t, http.StatusOK,
			w.Operator(t).Call(t, http.MethodGet, admin+"/endpoints/erp/deliveries", "", nil))
		assert.NotEmpty(t, log.Items)
		counted := regexp.MustCompile(`onrush_event_deliveries_total\{result="delivered"\} [1-9]`)
		require.Eventually(t, func() bool { // an event is counted after its receiver has answered
			return counted.MatchString(w.Metrics(t)) || counted.MatchString(other.Metrics(t))
		}, eventually, soon)
	})
}

func TestEndpointsOnThisMachineAreRefusedWithoutTheSetting(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	for _, url := range []string{"https://127.0.0.1/", "http://shop.example/", "https://localhost:8080/"} {
		a := s.Operator(t).Call(t, http.MethodPut, admin+"/endpoints/erp", "", client.EndpointRequest{URL: url})
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", url, a.Body)
		assert.Contains(t, string(a.Body), `"field":"url"`)
	}
}
