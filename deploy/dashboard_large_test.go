//go:build large

package deploy

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheDashboardIsOneOfGrafana reads the dashboard by Grafana's own schema, which refuses unknown fields, also in the
// panels' options and the queries. The file has the first format, which all versions of Grafana read.
func TestTheDashboardIsOneOfGrafana(t *testing.T) {
	t.Parallel()
	cog.NewRuntime().RegisterPanelcfgVariant(stat.VariantConfig())
	cog.NewRuntime().RegisterPanelcfgVariant(timeseries.VariantConfig())
	cog.NewRuntime().RegisterDataqueryVariant(prometheus.VariantConfig())
	raw, err := os.ReadFile("mixin/dashboard.json")
	require.NoError(t, err)
	var unfit cog.BuildErrors // what UnmarshalJSONStrict returns, empty where all is well

	require.ErrorAs(t, new(dashboard.Dashboard).UnmarshalJSONStrict(raw), &unfit) //nolint:staticcheck // its format
	require.Empty(t, unfit)
	var read dashboard.Dashboard //nolint:staticcheck // its format; UnmarshalJSONStrict leaves the panels empty
	require.NoError(t, json.Unmarshal(raw, &read))
	require.NoError(t, read.Validate())
	queries := 0
	for _, p := range read.Panels {
		if p.RowPanel != nil {
			continue
		}
		require.Contains(t, []string{"stat", "timeseries"}, p.Panel.Type)
		for _, target := range p.Panel.Targets {
			require.IsType(t, &prometheus.Dataquery{}, target)
			queries++
		}
	}
	assert.Greater(t, queries, 40)
}
