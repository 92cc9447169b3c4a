package sheet

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpreadsheetsChangeNoCell(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{
		// formulas
		"=1+1", "+1", "-1", "@a", "＝1", "＋1", "－1", "＠a", " =1+1", "\t=1", "\tb", "\r=1", "\nb", "\u00a0=1",
		// numbers
		"123456789012", "1234567890123456789", "007", "00", "1.50", "1,5", "1E5", "1.23E+15", "12%", "1 000", "½",
		".5", ",5", "(5)", "$5", "€ 5", "￥5", " 7", "１２", "٣", "5 EUR",
		// dates
		"1-2", "3/4", "2026-06-01", "12:30", "1 June", "6月1日", "1.2.", "MAR1", "march 2026", "Sep-1", "sept2", "May, 5",
		"Monday, June 1, 2026", "DEC1", "2026-06-01T13:00:00Z", "2026-06-01 13:00",
		"TRUE", "false", "'", "'1",
	} {
		assert.True(t, changes(cell), "%q", cell)
	}
	for _, cell := range []string{
		"", "0", "7", "13800000000", "99999999999", "sku", "lamp-2", "sku x 2; sku2 x 1", "Market Street 5", "marble",
		"decaf", "Maya", "sunny", "2026-06-01T13:00:00.000Z", "truth", "it's", "(ring twice)", "a=b", "上海市", "\"",
	} {
		assert.False(t, changes(cell), "%q", cell)
	}
}

func TestRowsAreTheSameForReadersOfAnySeparator(t *testing.T) {
	t.Parallel()
	header := []string{"a", "b", "c", "amount", "total_amount", "d", "e"}
	cells := []string{"x;y", "=1,\"2\"\n3", "'\tz", "1234567890123", "7", "1234567890123", " "}
	row := string(AppendRow(nil, header, cells))
	assert.Equal(t, "\"x;y\",\"'=1,\"\"2\"\"\n3\",\"''\tz\",1234567890123,7,'1234567890123,\" \"\r\n", row)
	assert.Equal(t, "\"a\r\nb\rc\"\r\n", string(AppendRow(nil, header, []string{"a\r\nb\rc"})))

	read, err := csv.NewReader(strings.NewReader(row)).Read()
	require.NoError(t, err)
	for i, cell := range read {
		assert.Equal(t, cells[i], strings.TrimPrefix(cell, "'"))
	}
	for _, separator := range ";\t" {
		r := csv.NewReader(strings.NewReader(string(AppendRow(nil, header[:1], cells[:1]))))
		r.Comma = separator
		read, err := r.Read()
		require.NoError(t, err)
		assert.Equal(t, cells[:1], read, "%q", separator)
	}
}
