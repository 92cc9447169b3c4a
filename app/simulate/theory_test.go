package simulate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestErlangCHasItsKnownValues(t *testing.T) {
	t.Parallel()
	assert.InEpsilon(t, 0.7, ErlangC(1, 0.7), 1e-9, "one processor: its load")
	assert.InEpsilon(t, 1.0/3, ErlangC(2, 1), 1e-9)
	assert.InEpsilon(t, 0.4092, ErlangC(10, 8), 1e-3, "as tables of Erlang C have it")
	assert.InEpsilon(t, 7.0/3, MeanWait(1, 0.7, 1), 1e-9)
}

func TestAStationAloneWaitsAsErlangCSays(t *testing.T) {
	t.Parallel()
	for _, processors := range []int{1, 2, 8} {
		for _, load := range []float64{0.5, 0.8, 0.9} {
			t.Run(fmt.Sprintf("%d processors, load %.1f", processors, load), func(t *testing.T) {
				t.Parallel()
				const service = 20e-6
				rate := load * float64(processors) / service
				mean, p99 := Queue(1, 1_000_000, processors, rate, service, false)
				assert.InEpsilon(t, MeanWait(processors, rate, service), mean, 0.04)
				assert.InEpsilon(t, WaitQuantile(processors, rate, service, 0.99), p99, 0.05)
			})
		}
	}
}

func TestAStationWithConstantTimesWaitsAsPollaczekAndKhinchineSay(t *testing.T) {
	t.Parallel()
	const service = 7.7e-3 // a full call of 256 orders
	for _, load := range []float64{0.3, 0.7, 0.9} {
		mean, _ := Queue(1, 1_000_000, 1, load/service, service, true)
		assert.InEpsilon(t, MeanWaitOfConstant(load/service, service), mean, 0.03, "load %.1f", load)
	}
}
