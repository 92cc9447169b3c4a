package bench

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	ordinaryBuyers  = 200
	ordinaryRate    = 300.0 // submits/s of all ordinary buyers
	fixedSeconds    = 3.0
	closedSeconds   = 2.0
	floodConns      = 600
	floodLonger     = 0.5 // s by which a flood outlasts what it disturbs
	cachedOfRobot   = 2000
	mostFixedP99    = 60.0 // ms
	quietFixedP99   = 30.0 // ms; a machine that is slower without a flood measures other work
	leastFixedKept  = 0.95
	leastClosedKept = 0.6
)

// BenchmarkFairness lets ordinary buyers submit, alone and beside a flood of one user with many connections,
// at a fixed rate and in a closed loop. The load generators are processes of their own on the same machine,
// with the same priority as the program.
func BenchmarkFairness(b *testing.B) {
	for _, flood := range []struct {
		name     string
		awaySQL  bool
		cached   int
		requests func(f *fairness, task string) []load.Request
	}{
		{name: "submit", requests: func(f *fairness, _ string) []load.Request { return []load.Request{f.submit} }},
		{name: "path", requests: func(f *fairness, _ string) []load.Request {
			return []load.Request{f.path(f.activity)}
		}},
		{name: "random-ids", requests: func(f *fairness, _ string) []load.Request {
			return []load.Request{f.get("/api/v1/activities/" + load.Number), f.path(load.Number)}
		}},
		{name: "streams", awaySQL: true, cached: 1, requests: func(f *fairness, task string) []load.Request {
			return []load.Request{f.get("/api/v1/seckill/tasks/" + task + "/events")}
		}},
		{name: "lists", awaySQL: true, cached: cachedOfRobot, requests: func(f *fairness, _ string) []load.Request {
			return []load.Request{f.get("/api/v1/orders?page_size=100"), f.get("/api/v1/orders?page=30&page_size=10")}
		}},
	} {
		b.Run(flood.name, func(b *testing.B) {
			f := newFairness(b)
			for b.Loop() {
				f.takePaths(b)
				task := ""
				if flood.awaySQL {
					f.program.stores.SQLServer.Freeze(b)
				}
				if flood.cached > 0 {
					task = f.cache(b, flood.cached)
				}
				f.turn(b, flood.requests(f, task))
				if flood.awaySQL {
					f.program.stores.SQLServer.Thaw(b)
				}
				f.program.drain(b)
			}
			f.report(b)
		})
	}
}

// fairness is a sale, its ordinary buyers and the robot, and what was measured.
type fairness struct {
	program  *program
	activity string
	ordinary []load.Request
	token    string // of the robot
	submit   load.Request

	kept, p99, aloneP99, closed, aloneClosed, flood []float64
}

func newFairness(b *testing.B) *fairness {
	b.Helper()
	f := &fairness{program: startProgram(b)}
	f.token = f.program.token(b, "robot")
	f.activity = f.program.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	return f
}

// takePaths gives everybody a path that doesn't expire during a turn.
func (f *fairness) takePaths(b *testing.B) {
	b.Helper()
	f.ordinary = f.ordinary[:0]
	for i := range ordinaryBuyers {
		f.ordinary = append(f.ordinary, f.program.submit(b, fmt.Sprintf("buyer-%d", i), f.activity))
	}
	f.submit = f.program.submit(b, "robot", f.activity)
}

// cache places n orders of the robot, which stay cached while SQL is unavailable, and returns the task of one.
func (f *fairness) cache(b *testing.B, n int) (task string) {
	b.Helper()
	robot := f.program.inspector.Buyer(b, "robot")
	path := f.submit.Path
	for begun := 0; begun < n; begun += connections {
		answers := kit.AtOnce(min(connections, n-begun), func(i int) site.Answer {
			return robot.Insist(http.MethodPost, path, fmt.Sprintf("cached-%d-%d", len(f.kept), begun+i), f.submit.Body)
		})
		for _, a := range answers {
			require.Equal(b, http.StatusAccepted, a.Status, string(a.Body))
		}
		task = answers[0].JSON(b)["task_id"].(string)
	}
	return task
}

// turn measures the ordinary buyers alone and beside the flood, and the other way round every second time.
func (f *fairness) turn(b *testing.B, flood []load.Request) {
	b.Helper()
	fixed := load.Plan{
		Addr: f.program.addr(), Connections: connections, Rate: ordinaryRate, Seconds: few(fixedSeconds),
		Requests: f.ordinary,
	}
	closed := fixed
	closed.Rate, closed.Seconds = 0, few(closedSeconds)
	beside := func(plan load.Plan) load.Result {
		return f.beside(b, plan, flood)
	}
	alone := func(plan load.Plan) load.Result { return generate(b, plan)[0] }
	var fixedAlone, fixedBeside, closedAlone, closedBeside load.Result
	if len(f.kept)%2 == 0 {
		fixedAlone, fixedBeside, closedAlone, closedBeside = alone(fixed), beside(fixed), alone(closed), beside(closed)
	} else {
		fixedBeside, fixedAlone, closedBeside, closedAlone = beside(fixed), alone(fixed), beside(closed), alone(closed)
	}
	b.Logf("fixed alone %v, beside %v; closed alone %v, beside %v", fixedAlone, fixedBeside, closedAlone, closedBeside)
	f.kept = append(f.kept, fixedBeside.Rate("202")/ordinaryRate)
	f.p99, f.aloneP99 = append(f.p99, fixedBeside.P99), append(f.aloneP99, fixedAlone.P99)
	f.aloneClosed = append(f.aloneClosed, closedAlone.Rate("202"))
	f.closed = append(f.closed, closedBeside.Rate("202")/closedAlone.Rate("202"))
}

// beside carries out a plan while the robot floods.
func (f *fairness) beside(b *testing.B, plan load.Plan, requests []load.Request) load.Result {
	b.Helper()
	results := generate(b, plan, load.Plan{
		Addr: plan.Addr, Connections: floodConns, Seconds: plan.Seconds + floodLonger, Requests: requests,
	})
	answers := 0.0
	for answer := range results[1].Answers {
		answers += results[1].Rate(answer)
	}
	b.Logf("flood: %v", results[1])
	f.flood = append(f.flood, answers)
	return results[0]
}

// report reports the medians, and fails if enough turns were below a bound.
func (f *fairness) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(0, "ns/op") // a turn has fixed times
	figures := map[string]float64{
		"kept": median(f.kept), "p99-ms": median(f.p99), "alone-p99-ms": median(f.aloneP99),
		"closed-kept": median(f.closed), "alone-closed/s": median(f.aloneClosed), "flood/s": median(f.flood),
	}
	for unit, figure := range figures {
		b.ReportMetric(figure, unit)
	}
	f.keep(b, figures)
	if len(f.kept) < enoughTurns {
		return
	}
	var low []string
	if figures["kept"] < leastFixedKept {
		low = append(low, fmt.Sprintf("%.0f %% of the fixed rate were kept", 100*figures["kept"]))
	}
	if figures["p99-ms"] > mostFixedP99 && figures["alone-p99-ms"] <= quietFixedP99 {
		low = append(low, fmt.Sprintf("p99 was %.0f ms", figures["p99-ms"]))
	}
	if figures["closed-kept"] < leastClosedKept {
		low = append(low, fmt.Sprintf("%.0f %% of the closed loop were kept", 100*figures["closed-kept"]))
	}
	if len(low) > 0 {
		b.Errorf("beside the flood %s", strings.Join(low, ", "))
	}
}

// keep keeps a row for the fixed rate and one for the closed loop.
func (f *fairness) keep(b *testing.B, figures map[string]float64) {
	b.Helper()
	const unit = "submits/s"
	keepResult(b, result{
		Benchmark: "/fixed", Turns: len(f.kept), Ours: figures["kept"] * ordinaryRate, Unit: unit,
		Baseline: ordinaryRate, Of: "due/s", Ratio: figures["kept"], Least: leastFixedKept,
	})
	keepResult(b, result{
		Benchmark: "/closed", Turns: len(f.kept), Ours: figures["closed-kept"] * figures["alone-closed/s"], Unit: unit,
		Baseline: figures["alone-closed/s"], Of: "alone/s", Ratio: figures["closed-kept"], Least: leastClosedKept,
	})
}

func (f *fairness) get(path string) load.Request {
	return load.Request{Method: http.MethodGet, Path: path, Token: f.token}
}

func (f *fairness) path(activity string) load.Request {
	return load.Request{
		Method: http.MethodPost, Path: "/api/v1/seckill/path", Token: f.token,
		Body: `{"activity_id":"` + activity + `","sku_id":"sku"}`,
	}
}
