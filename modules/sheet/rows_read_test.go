package sheet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A buyer writes a remark: whatever it has, it stays in its cell.
func TestTheTextOfACellIsNeverReadAsRows(t *testing.T) {
	t.Parallel()
	header := []string{"order_number", "remark", "carrier"}
	for _, remark := range []string{
		"a\n2,,EVIL", "a\r\n2,,EVIL\r\n", "a\r2,,EVIL", "\"\n2,,EVIL\n\"", "a\n2;;EVIL\n\"\"b",
	} {
		file := AppendRow([]byte(Mark), header, header)
		file = AppendRow(file, header, []string{"1", remark, "DHL"})
		rows, err := ReadRows(string(AppendRow(file, header, []string{"3", "", "UPS"})), "order_number", 9)
		require.NoError(t, err, "%q", remark)
		require.Len(t, rows, 2, "%q", remark)
		assert.Equal(t, "1 DHL", rows[0].Cells["order_number"]+" "+rows[0].Cells["carrier"])
		assert.Equal(t, "3 UPS", rows[1].Cells["order_number"]+" "+rows[1].Cells["carrier"])
	}
}

func TestRowsAreReadAsSpreadsheetsWriteThem(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"n,c\n1,a\n2,b", "n;c\r\n1;a\r\n2;b\r\n", "n\tc\r1\ta\r2\tb\r",
		"\r\n\r\nn,c\r\n,\r\n'1,\"=\"\"a\"\"\"\r\n\r\n2, b",
	} {
		rows, err := ReadRows(file, "n", 2)
		require.NoError(t, err, "%q", file)
		require.Len(t, rows, 2, "%q", file)
		assert.Equal(t, map[string]string{"n": "1", "c": "a"}, rows[0].Cells, "%q", file)
		assert.Equal(t, map[string]string{"n": "2", "c": "b"}, rows[1].Cells, "%q", file)
	}
	for file, want := range map[string]string{
		"n\n1\n2\n3":              "has more than 2 rows",
		"n":                       "has no rows",
		"n,c\r\n,\r\n":            "has no rows",
		"c\n1":                    "must have a column n",
		"":                        "must have a column n",
		"n\n\xff":                 "must be UTF-8",
		"n,c\n\n1,\"a\n2,b\n":     "has a quote out of place in the row that begins in line 3",
		"n,c\n1,\"a\nb\"c\n2,b\n": "has a quote out of place in the row that begins in line 2",
		"n,c\n1,5\"\n2,b\n":       "has a quote out of place in the row that begins in line 2",
		"n,\"c\n1,a\n":            "has a quote out of place in the row that begins in line 1",
	} {
		_, err := ReadRows(file, "n", 2)
		require.EqualError(t, err, want, "%q", file)
	}
	rows, err := ReadRows("n,c\n\"1\",\"x\ny\"\n2,3,4", "n", 2)
	require.NoError(t, err)
	assert.Equal(t, 4, rows[1].Line)
	assert.EqualError(t, rows[1].Err, "has 3 cells, and the file 2 columns")
}
