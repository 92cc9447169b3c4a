package simulate

import (
	"math"
	"math/rand/v2"
)

// ErlangC returns the probability that a job has to wait, with Poisson arrivals and exponential service times
// (M/M/c). The load is the arrival rate times the mean service time; it must be below the number of processors.
func ErlangC(processors int, load float64) float64 {
	blocked := 1.0 // Erlang B by its recursion
	for c := 1; c <= processors; c++ {
		blocked = load * blocked / (float64(c) + load*blocked)
	}
	return blocked / (1 - load/float64(processors)*(1-blocked))
}

// MeanWait returns the mean time that a job of M/M/c waits, in the unit of the mean service time.
func MeanWait(processors int, rate, service float64) float64 {
	return ErlangC(processors, rate*service) * service / (float64(processors) - rate*service)
}

// WaitQuantile returns the time that a part of the jobs of M/M/c waits at most, such as 0.99.
func WaitQuantile(processors int, rate, service, part float64) float64 {
	return max(math.Log(ErlangC(processors, rate*service)/(1-part)), 0) * service /
		(float64(processors) - rate*service)
}

// MeanWaitOfConstant returns the mean time that a job waits for one processor whose service times are all the same
// (M/D/1), by Pollaczek and Khinchine.
func MeanWaitOfConstant(rate, service float64) float64 {
	return rate * service * service / (2 * (1 - rate*service))
}

// Queue simulates a station alone, and returns the mean wait and the 99th percentile. Rate is the number of jobs that
// come in a second; service is the mean service time in s, and varies exponentially or is constant.
func Queue(seed uint64, jobs, processors int, rate, service float64, constant bool) (mean, p99 float64) {
	random := newRandom(seed)
	var used usage
	s, waits := newStation(processors, &used), newTimes()
	at, sum := 0.0, 0.0
	for range jobs {
		at += random.ExpFloat64() / rate
		wait := s.wait(at)
		sum += wait
		_ = waits.RecordValue(int64(wait * 1e9))
		seconds := service
		if !constant {
			seconds *= random.ExpFloat64()
		}
		s.serve(at, seconds)
	}
	return sum / float64(jobs), quantile(waits, 99)
}

func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // a simulation must be repeatable
}
