package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// auditsWithin is how long after an audit its drifts are reported at most.
const auditsWithin = 3 * time.Minute

// Audits is down while no audit ends: the drifts of sales are unknown then, and their series have ended. checkLastEnd
// returns an error if the last audit of all instances ended longer ago.
func Audits(checkLastEnd func(ctx context.Context, within time.Duration) error) Source {
	return Source{"audit", func(ctx context.Context) ([]prometheus.Metric, error) {
		return nil, checkLastEnd(ctx, auditsWithin)
	}}
}
