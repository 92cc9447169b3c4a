package e2e

import (
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"onrush/app/server"
	"onrush/app/tracing"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// spans is a collector of traces that keeps the spans that it receives.
type spans struct {
	mu  sync.Mutex
	all []*otlp.Span
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			s.all = append(s.all, scope.GetSpans()...)
		}
	}
}

// named returns the spans of a trace with a name; "" is any trace.
func (s *spans) named(trace, name string) (found []*otlp.Span) {
	for _, span := range s.all {
		if span.GetName() == name && (trace == "" || hex.EncodeToString(span.GetTraceId()) == trace) {
			found = append(found, span)
		}
	}
	return found
}

// one returns the only span of a trace with a name.
func (s *spans) one(t *testing.T, trace, name string) *otlp.Span {
	t.Helper()
	found := s.named(trace, name)
	require.Len(t, found, 1, "%s in %s", name, trace)
	return found[0]
}

// hasBelow reports whether a span has a child whose name begins with prefix.
func (s *spans) hasBelow(above *otlp.Span, prefix string) bool {
	return slices.ContainsFunc(s.all, func(span *otlp.Span) bool {
		return string(span.GetParentSpanId()) == string(above.GetSpanId()) && strings.HasPrefix(span.GetName(), prefix)
	})
}

// linksTo reports whether a span has a link to another one.
func linksTo(from, to *otlp.Span) bool {
	return slices.ContainsFunc(from.GetLinks(), func(l *otlp.Span_Link) bool {
		return string(l.GetSpanId()) == string(to.GetSpanId()) && string(l.GetTraceId()) == string(to.GetTraceId())
	})
}

const (
	buyersTrace = "0af7651916cd43dd8448eb211c80319c"
	buyersSpan  = "b7ad6b7169203331"
)

// TestOneTraceLeadsFromTheSubmitToTheWebhook is not parallel, since the variables are of the process.
func TestOneTraceLeadsFromTheSubmitToTheWebhook(t *testing.T) {
	stores := kit.OnReal(t)
	seen := &spans{}
	receiver := httptest.NewServer(seen)
	t.Cleanup(receiver.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off") // only what its caller samples
	traces, err := tracing.Open(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	w := newPaySale(t, stores, site.Sale{}, site.Traced(traces),
		site.Configured(func(cfg *server.Config) { cfg.EventsAllowPrivate = []string{"true"} }))
	var mu sync.Mutex
	var parents []string // that the endpoint received, guarded by mu: events of two orders come at once
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		parents = append(parents, r.Header.Get("traceparent"))
	}))
	t.Cleanup(endpoint.Close)
	operator := w.Operator(t)
	site.Read[client.Endpoint](t, http.StatusCreated, operator.Call(t, http.MethodPut, admin+"/endpoints/erp", "",
		client.EndpointRequest{URL: endpoint.URL, Types: []string{"order.placed", "order.paid"}}))

	path := w.buyer.Path(t, w.activity, "sku")
	sampled := w.buyer.In("00-" + buyersTrace + "-" + buyersSpan + "-01")
	number := sampled.Submit(t, path, "k1", client.SubmitRequest{}).Placed(t).OrderNumber
	refused := sampled.Call(t, http.MethodPost, "/api/v1/seckill/nonsense/submit", "k2", client.SubmitRequest{})
	assert.Equal(t, buyersTrace, refused.JSON(t)["trace_id"])
	assert.Equal(t, refused.Header.Get("X-Request-Id"), refused.JSON(t)["request_id"])
	other := w.Buyer(t, "other")
	plain := other.Submit(t, other.Path(t, w.activity, "sku"), "k1", client.SubmitRequest{}).Placed(t).OrderNumber
	w.Drain(t)
	require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
	w.Number(t)
	_, err = w.Server.Deliverer.RunOnce(t.Context())
	require.NoError(t, err)
	logged := operator.GetAdminOrder(t, number).Log
	require.Len(t, logged, 2)
	for _, line := range logged {
		assert.Equal(t, buyersTrace, line.TraceID, line.What)
	}
	assert.Empty(t, operator.GetAdminOrder(t, plain).Log[0].TraceID)
	assertRecords(t, stores, number, plain)
	w.Stop(t)
	require.NoError(t, traces.Close(t.Context()))

	assertTrace(t, seen, parents)
}

// assertRecords asserts that the record of a sampled order has the trace of its submit, and that the record of an order
// that wasn't sampled has no trace.
func assertRecords(t *testing.T, stores *kit.Stores, sampled, plain string) {
	t.Helper()
	record := func(number string) (text string) {
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &text,
			`SELECT record FROM orders WHERE number = ?`, number))
		return text
	}
	assert.Contains(t, record(sampled), `"tp":"00-`+buyersTrace+"-")
	assert.NotContains(t, record(plain), `"tp"`)
}

// assertTrace asserts which spans there are. parents are the headers that the endpoint received.
func assertTrace(t *testing.T, seen *spans, parents []string) {
	t.Helper()
	submits := seen.named(buyersTrace, "POST /api/v1/seckill/:path/submit")
	require.Len(t, submits, 2, "the second one was refused")
	submit := submits[0]
	assert.Equal(t, buyersSpan, hex.EncodeToString(submit.GetParentSpanId()))
	for _, work := range []string{"place order", "move order"} {
		part, batch := seen.one(t, buyersTrace, work), seen.one(t, "", work+" batch")
		assert.Equal(t, submit.GetSpanId(), part.GetParentSpanId(), work)
		assert.Empty(t, batch.GetParentSpanId(), "it is of several orders")
		assert.NotEqual(t, submit.GetTraceId(), batch.GetTraceId())
		assert.True(t, linksTo(part, batch) && linksTo(batch, submit), work)
	}
	assert.True(t, seen.hasBelow(seen.one(t, "", "place order batch"), "redis evalsha"))
	assert.True(t, seen.hasBelow(seen.one(t, "", "move order batch"), "sql insert"))
	paid := seen.one(t, buyersTrace, "pay order")
	assert.Equal(t, submit.GetSpanId(), paid.GetParentSpanId())
	assert.True(t, seen.hasBelow(paid, "sql insert"))
	assert.Len(t, parents, 3, "two orders are placed, one is paid")
	for _, event := range []string{"deliver order.placed", "deliver order.paid"} {
		span := seen.one(t, buyersTrace, event)
		assert.Equal(t, submit.GetSpanId(), span.GetParentSpanId(), event)
		assert.Contains(t, parents, "00-"+buyersTrace+"-"+hex.EncodeToString(span.GetSpanId())+"-01", event)
	}
	assert.Contains(t, parents, "", "the order that wasn't sampled")
	for _, span := range seen.all {
		switch hex.EncodeToString(span.GetTraceId()) {
		case buyersTrace, hex.EncodeToString(seen.one(t, "", "place order batch").GetTraceId()),
			hex.EncodeToString(seen.one(t, "", "move order batch").GetTraceId()):
		default:
			assert.Fail(t, "a span of nobody's trace", span.GetName())
		}
	}
}
