package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAlertsArePrintedWithTheAddressOfOnesOwnDocuments(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile("../deploy/mixin/alerts.yaml")
	require.NoError(t, err)
	want := strings.ReplaceAll(string(written), "https://onrush.example/", "https://wiki.example/onrush/")
	require.NotEqual(t, want, string(written))
	for _, docs := range []string{"https://wiki.example/onrush/", "https://wiki.example/onrush"} {
		out, logged, code := run(t, nil, "alerts", "--docs="+docs)
		require.Zero(t, code, logged)
		assert.Equal(t, want, out)
	}
	_, logged, code := run(t, nil, "alerts", "--docs=wiki")
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "--docs must be an address")
}
