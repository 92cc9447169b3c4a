package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/aged"
)

const (
	// storesFor is how old figures of the stores may be.
	storesFor = 5 * time.Second
	// storesWithin bounds one read of a source. Prometheus waits 10 s for an answer by default.
	storesWithin = 2 * time.Second
)

// Source reads figures that all instances share from the stores.
type Source struct {
	Name string // as the label source has it
	Read func(ctx context.Context) ([]prometheus.Metric, error)
}

// stores collects the figures of sources. A source that can't be read has no figures but is down, since old figures
// would look like new ones.
type stores struct {
	cfg     aged.Config
	sources []Source
	copies  []aged.Copy[[]prometheus.Metric]
}

// Stores returns a collector of sources.
func Stores(now func() time.Time, sources ...Source) prometheus.Collector {
	return &stores{
		cfg:     aged.Config{What: "figures of the stores", Now: now, Within: storesWithin, Pause: time.Second},
		sources: sources, copies: make([]aged.Copy[[]prometheus.Metric], len(sources)),
	}
}

var sourceUp = prometheus.NewDesc("onrush_metrics_source_up",
	"1 if the figures of a source could be read from the stores, else 0.", []string{"source"}, nil)

// Describe implements prometheus.Collector. The figures are those that there are, so it names only one.
func (s *stores) Describe(descs chan<- *prometheus.Desc) { descs <- sourceUp }

// Collect implements prometheus.Collector.
func (s *stores) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), storesWithin)
	defer cancel()
	var all sync.WaitGroup
	for i, source := range s.sources {
		all.Go(func() {
			figures, err := s.copies[i].Get(ctx, &s.cfg, storesFor, source.Read)
			up := 1.0
			if err != nil {
				up = 0
			}
			metrics <- prometheus.MustNewConstMetric(sourceUp, prometheus.GaugeValue, up, source.Name)
			for _, figure := range figures {
				metrics <- figure
			}
		})
	}
	all.Wait()
}
