package e2e

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// metrics are the values of one answer, by name and labels as Prometheus writes them; histograms are left out.
type metrics map[string]float64

// readMetrics reads the metrics of an instance.
func readMetrics(t *testing.T, s *site.Site) metrics {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.Metrics(t)))
	require.NoError(t, err)
	values := metrics{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := name
			if len(labels) > 0 {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.GetHistogram() != nil:
				values[key] = float64(m.GetHistogram().GetSampleCount())
			case m.GetCounter() != nil:
				values[key] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				values[key] = m.GetGauge().GetValue()
			}
		}
	}
	return values
}

// TestMetricsTellWhatASaleDoes compares the metrics with what buyers and operators did.
func TestMetricsTellWhatASaleDoes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 3}})
		dan := s.Buyer(t, "dan")
		path := dan.Path(t, activity, "sku") // while there are units
		var numbers []string
		for _, name := range []string{"ann", "ben", "cem"} {
			numbers = append(numbers, submitTwice(t, s.Buyer(t, name), activity))
		}
		late := dan.Submit(t, path, "k", map[string]any{"quantity": 1})
		require.Equal(t, http.StatusConflict, late.Status, string(late.Body))

		m := readMetrics(t, s)
		assert.InDelta(t, 3, m["onrush_orders_accepted_total"], 0)
		assert.InDelta(t, 7, m["onrush_place_duration_seconds"], 0)
		assert.InDelta(t, 7, m["onrush_place_batch_orders"], 0)
		assert.InDelta(t, 3, m["onrush_queue_length"], 0)
		assert.InDelta(t, 1, m["onrush_refusals_total{code=sold_out_unpaid_pending,gate=submit}"], 0)
		assert.InDelta(t, 6, m["http_server_request_duration_seconds{error_type=,method=POST,"+
			"route=/api/v1/seckill/:path/submit,status=202}"], 0)
		assert.InDelta(t, 0, m["onrush_orders_moved_total{verdict=stored}"], 0)

		s.Drain(t)
		ann := s.Buyer(t, "ann")
		pay := ann.BeginPayment(t, "pay", numbers[0])
		answer, err := s.Notify(t.Context(), site.Payment{
			Number: pay.PayNumber, Transaction: "tx", Amount: 1, Currency: "CNY", // it is not what the order costs
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		s.Buyer(t, "ben").CancelOrder(t, numbers[1])
		s.Job(t, "flush_answer_counters")
		_, err = s.Server.History.RunOnce(t.Context())
		require.NoError(t, err)

		require.Eventually(t, func() bool { // figures of the stores are up to five seconds old
			m = readMetrics(t, s)
			return m["onrush_queue_length"] == 0 && m["onrush_payments_flagged{channel=sandbox}"] == 1
		}, eventually, 200*time.Millisecond)
		for name, want := range map[string]float64{
			"onrush_orders_moved_total{verdict=stored}":                            3,
			"onrush_order_move_latency_seconds":                                    3,
			"onrush_payment_notifications_total{channel=sandbox,outcome=refunded}": 1,
			"onrush_payments_pending{channel=sandbox}":                             1,
			"onrush_refunds_pending{channel=sandbox}":                              1,
			"onrush_sale_orders{activity=" + activity + ",status=unpaid}":          2,
			"onrush_sale_orders{activity=" + activity + ",status=cancelled}":       1,
			"onrush_sale_orders_accepted_total{activity=" + activity + "}":         3,
			"onrush_sale_remaining_units{activity=" + activity + "}":               1,
			"onrush_dead_entries":                                                  0,
			"onrush_store_up{store=redis}":                                         1,
			"onrush_store_up{store=sql}":                                           1,
			"onrush_metrics_source_up{source=queue}":                               1,
			"onrush_metrics_source_up{source=money}":                               1,
			"onrush_metrics_source_up{source=stock}":                               1,
			"onrush_metrics_source_up{source=events}":                              1,
			"onrush_metrics_source_up{source=redis}":                               1,
			"onrush_metrics_source_up{source=audit}":                               1,
		} {
			assert.InDelta(t, want, m[name], 0, name)
		}
		for name := range m {
			for _, data := range append(numbers, "=ann}", "=ann,", "=ben}", "=ben,", pay.PayNumber) {
				assert.NotContains(t, name, data, "no label has a buyer, an order or a payment")
			}
		}
	})
}

// submitTwice submits an order twice with one key, and returns its number.
func submitTwice(t *testing.T, buyer *site.Person, activity string) (number string) {
	t.Helper()
	path, body := buyer.Path(t, activity, "sku"), map[string]any{"quantity": 1}
	number = buyer.Submit(t, path, "k", body).Placed(t).OrderNumber
	assert.Equal(t, number, buyer.Submit(t, path, "k", body).Placed(t).OrderNumber)
	return number
}

func TestMetricsTellOfDriftAndOfDeadEntries(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		dead := placeDeadOrder(t, s, spoilRecord(t, stores))
		lane := site.Lane(t, stores, dead.activity)
		// Nobody can prove that the order which can't be read took the unit.
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Held(lane, dead.activity)).Err())
		_, err := s.Server.Auditor.RunOnce(t.Context())
		require.ErrorContains(t, err, "drifts")
		m := readMetrics(t, s)
		assert.InDelta(t, 1, m["onrush_dead_entries"], 0)
		assert.InDelta(t, 1, m["onrush_orders_moved_total{verdict=dead}"], 0)
		assert.InDelta(t, 1, m["onrush_sale_drift_units{activity="+dead.activity+"}"], 0)
	})
}

func TestMetricsTellWhatOperatorsTurnedOff(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), limited("on", "", ""))
	inForce := func() (found []string) {
		for name, value := range readMetrics(t, s) {
			if value == 1 && slices.ContainsFunc([]string{"sales_stopped", "limits_mode", "degrade_level"},
				func(part string) bool { return strings.HasPrefix(name, "onrush_"+part) }) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	assert.Equal(t, []string{"onrush_degrade_level{level=full}", "onrush_limits_mode{mode=on}"}, inForce())
	op := s.Operator(t)
	for _, step := range []struct {
		change map[string]any
		want   []string
	}{
		{
			map[string]any{"sales_stopped": true, "limits": "dry_run", "degrade": "no_lists"},
			[]string{
				"onrush_degrade_level{level=no_lists}", "onrush_limits_mode{mode=dry_run}", "onrush_sales_stopped",
			},
		},
		{
			map[string]any{"sales_stopped": false, "limits": "off", "degrade": "only_placing"},
			[]string{"onrush_degrade_level{level=only_placing}", "onrush_limits_mode{mode=off}"},
		},
		{
			map[string]any{"limits": nil, "degrade": nil},
			[]string{"onrush_degrade_level{level=full}", "onrush_limits_mode{mode=on}"},
		},
	} {
		a := op.Call(t, http.MethodPatch, admin+"/settings", "", step.change)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		assert.Equal(t, step.want, inForce())
	}
}

// TestAnIdleInstanceHasFewSeries: what says nothing yet is left out, but for what alerts watch.
func TestAnIdleInstanceHasFewSeries(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		text := s.Metrics(t)
		series := regexp.MustCompile(`(?m)^[a-z].*$`).FindAllString(text, -1)
		ran := strings.Count(text, "\nonrush_job_last_success_timestamp_seconds{")
		require.Positive(t, ran)
		withRuns := len(series) + 2*ran // a job that has run has its number of runs and their seconds, too
		assert.LessOrEqual(t, withRuns, 150, strings.Join(series, "\n"))
		assert.NotContains(t, text, "_bucket", "no histogram has a value")
		m := readMetrics(t, s)
		for _, name := range []string{
			"onrush_dead_entries", "onrush_queue_length", "onrush_sales_stopped", "onrush_orders_accepted_total",
			"onrush_orders_moved_total{verdict=dead}", "onrush_payments_flagged{channel=sandbox}",
			"onrush_refunds_failed{channel=sandbox}", "onrush_pool_wait_seconds_total{pool=redis}",
			"onrush_voucher_orders_oldest_waiting_age_seconds",
		} {
			assert.Contains(t, m, name)
			assert.Zero(t, m[name], name)
		}
		assert.InDelta(t, 1, m["onrush_build_info{version=}"], 0, "a test has no version")
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		require.NoError(t, err)
		assert.Empty(t, problems)
	})
}

// TestMetricsAreAnsweredWithoutTheStores: what can't be read is left out, and named.
func TestMetricsAreAnsweredWithoutTheStores(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		stores.SQLAway(t)
		stores.RedisAway(t)
		defer stores.SQLBack(t)
		defer stores.RedisBack(t)
		m := readMetrics(t, s)
		for _, name := range []string{
			"onrush_store_up{store=redis}", "onrush_store_up{store=sql}", "onrush_metrics_source_up{source=queue}",
			"onrush_metrics_source_up{source=money}",
		} {
			assert.Contains(t, m, name)
			assert.Zero(t, m[name], name)
		}
		assert.NotContains(t, m, "onrush_queue_length")
		assert.NotContains(t, m, "onrush_payments_pending{channel=sandbox}")
	}, kit.Breakable())
}

func TestMetricsHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	assert.Equal(t, http.StatusNotFound, s.Stranger().Call(t, http.MethodGet, "/metrics", "", nil).Status)
	own, err := s.Server.ListenMetrics(t.Context())
	require.NoError(t, err)
	for path, want := range map[string]int{
		"/metrics": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/cmdline": 404, "/": 404,
		"/api/v1/activities": 404,
	} {
		status, body := getURL(t, "http://"+own.Addr().String()+path)
		assert.Equal(t, want, status, path)
		if path == "/metrics" {
			assert.Contains(t, body, "onrush_queue_length 0")
			assert.Contains(t, body, "go_goroutines")
		}
	}
	require.NoError(t, own.Close())
}

func getURL(t *testing.T, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(raw)
}
