package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/settings"
)

var (
	salesStopped = prometheus.NewDesc("onrush_sales_stopped",
		"1 if this instance refuses the orders of all sales, else 0.", nil, nil)
	limitsMode = prometheus.NewDesc("onrush_limits_mode",
		"1 for what this instance does with the rate limits of buyers: on, off or dry_run; 0 for the others.",
		[]string{"mode"}, nil)
	degradeLevel = prometheus.NewDesc("onrush_degrade_level",
		"1 for the level of what this instance turns off, from full to only_placing; 0 for the others.",
		[]string{"level"}, nil)
)

// Settings reports what this instance applies of the operators' settings. limits returns on, off or dry_run.
func Settings(copied *settings.Store, limits func() string) prometheus.Collector {
	return collect(func(g *gauges) {
		g.add(salesStopped, truth(copied.Stopped()))
		inForce := limits()
		for _, mode := range []string{"on", "off", "dry_run"} {
			g.add(limitsMode, truth(mode == inForce), mode)
		}
		current := copied.Level()
		for level := settings.Full; level <= settings.OnlyPlacing; level++ {
			g.add(degradeLevel, truth(level == current), level.String())
		}
	})
}
