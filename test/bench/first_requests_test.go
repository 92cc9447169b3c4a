package bench

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	firstBuyers = 10_000 // of one turn
	// leastFirst is how many first requests the program answers in the processor time of one later request.
	leastFirst = 0.5
)

// BenchmarkFirstRequests compares the first request of buyers, whose tokens the program has not seen, with their second
// one, by the processor time of the program. In a sale everybody is new in the same second.
func BenchmarkFirstRequests(b *testing.B) {
	for _, bench := range []struct {
		name    string
		request load.Request
	}{
		{"list", load.Request{Method: http.MethodGet, Path: "/api/v1/activities/%s"}},
		{"path", load.Request{
			Method: http.MethodPost, Path: "/api/v1/seckill/path", Body: `{"activity_id":"%s","sku_id":"sku"}`,
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := startProgram(b)
			activity := p.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
			plan := load.Plan{Addr: p.addr(), Connections: connections, Seconds: burstWithin, Most: firstBuyers}
			request := bench.request
			if request.Body == "" {
				request.Path = fmt.Sprintf(request.Path, activity)
			} else {
				request.Body = fmt.Sprintf(request.Body, activity)
			}
			perSecond := func() float64 {
				before := p.uses(b)
				r := generate(b, plan)[0]
				require.EqualValues(b, firstBuyers, r.Answers["200"], "%v", r)
				var cost used
				cost.since(before, p.uses(b))
				return firstBuyers / cost.program * 1e6
			}
			var speeds turns
			for turn := 0; b.Loop(); turn++ {
				plan.Requests = plan.Requests[:0]
				for i := range firstBuyers {
					r := request
					r.Token = p.token(b, fmt.Sprintf("new-%d-%d", turn, i))
					plan.Requests = append(plan.Requests, r)
				}
				first := perSecond() // it must come first
				speeds.take(func() float64 { return first }, perSecond)
			}
			speeds.report(b, "first/cpu-s", "later/cpu-s", leastFirst)
		})
	}
}
