// Generate writes alerts.yaml and dashboard.json into the folder of package mixin, where go generate runs it, and into
// the chart.
package main

import (
	"log"
	"os"

	"onrush/deploy/mixin"
)

func main() {
	alerts, err := mixin.Alerts(1, mixin.Docs)
	if err != nil {
		log.Fatal(err)
	}
	dashboard, err := mixin.Dashboard()
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"alerts.yaml": alerts, "../helm/onrush/alerts.yaml": alerts,
		"dashboard.json": dashboard, "../helm/onrush/dashboard.json": dashboard,
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil { //nolint:gosec // it is part of the source
			log.Fatal(err)
		}
	}
}
