package operator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTablesShowAmountsInMajorUnits(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, WriteTable(&out, "ORDER=order_number, TOTAL=total_amount$, CURRENCY=currency", []json.RawMessage{
		json.RawMessage(`{"order_number":"1","total_amount":19800,"currency":"CNY"}`),
		json.RawMessage(`{"order_number":"2","total_amount":5,"currency":"CNY"}`),
		json.RawMessage(`{"order_number":"3","total_amount":19800,"currency":"JPY"}`),
		json.RawMessage(`{"order_number":"4","total_amount":19800,"currency":"KWD"}`),
		json.RawMessage(`{"order_number":"5","total_amount":19800}`),
		json.RawMessage(`{"order_number":"6","currency":"CNY"}`),
	}))
	var cells []string
	for line := range strings.Lines(out.String()) {
		cells = append(cells, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"ORDER TOTAL CURRENCY", "1 198.00 CNY", "2 0.05 CNY", "3 19800 JPY", "4 19.800 KWD", "5 19800 -", "6 - CNY",
	}, cells)
}
