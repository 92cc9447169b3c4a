package e2e

import (
	"encoding/csv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestAFileOfOrdersIsWholeAndHasNoFormulas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		for i, remark := range []string{
			"=HYPERLINK(\"x\")", "+1", "-1", "@a", "\tb", "plain, \"quoted\"\nline", "a;b", "007", "1-2",
		} {
			p := s.Buyer(t, string(rune('a'+i)))
			a := p.Submit(t, p.Path(t, activity, "sku"), "k", client.SubmitRequest{Remark: remark})
			must(t, http.StatusAccepted, a)
		}
		s.Drain(t)

		file := s.Operator(t).Call(t, http.MethodGet, admin+"/orders.csv?activity_id="+activity, "", nil)

		require.Equal(t, http.StatusOK, file.Status)
		assert.Contains(t, file.Header.Get("Content-Type"), "text/csv")
		assert.Contains(t, file.Header.Get("Content-Disposition"), `filename="orders.csv"`)
		assert.Contains(t, string(file.Body), "\r\n")
		assert.Contains(t, string(file.Body), `,"a;b",`, "one cell for readers of semicolons, too")
		rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 10)
		remarks := map[string]bool{}
		for _, row := range rows[1:] {
			for i, name := range rows[0] {
				assert.False(t, strings.HasPrefix(row[i], "=") || strings.HasPrefix(row[i], "+"),
					"%s: %s", name, row[i])
				if name == "order_number" {
					assert.Regexp(t, "^'[0-9]{16,}$", row[i], "a spreadsheet would change its last digits")
				}
				if name == "remark" {
					remarks[row[i]] = true
				}
			}
		}
		for _, want := range []string{
			"'=HYPERLINK(\"x\")", "'+1", "'-1", "'@a", "'\tb", "plain, \"quoted\" line", "a;b", "'007", "'1-2",
		} {
			assert.True(t, remarks[want], "%q in %v", want, remarks)
		}
	})
}

// The file is longer than what fits between program and client, so that the store goes while it is being written.
func TestAFileThatIsNotCompleteIsCut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		must(t, http.StatusAccepted, s.Buyer(t, "ada").Buy(t, activity, "sku", "k"))
		s.Drain(t)
		copyOrders(t, stores, 15)
		res := s.Operator(t).Open(t, admin+"/orders.csv")
		defer func() { _ = res.Body.Close() }()
		_, err := io.ReadFull(res.Body, make([]byte, 1000))
		require.NoError(t, err)
		stores.SQLAway(t)
		rest, err := io.ReadAll(res.Body)
		require.Error(t, err, "the body has no end: …%s", rest[max(0, len(rest)-200):])
	}, kit.Breakable())
}

func TestFiveFilesAtOnceAreOneTooMany(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{})
	must(t, http.StatusAccepted, s.Buyer(t, "ada").Buy(t, activity, "sku", "k"))
	s.Drain(t)
	copyOrders(t, stores, 15) // more than what fits between program and client
	op := s.Operator(t)
	var open []io.ReadCloser
	for range 4 {
		res := op.Open(t, admin+"/orders.csv")
		defer func() { _ = res.Body.Close() }()
		open = append(open, res.Body)
	}
	for _, path := range []string{"/orders.csv", "/payments.csv", "/refunds.csv"} {
		refused := op.Call(t, http.MethodGet, admin+path, "", nil)
		requireRefusal(t, refused, http.StatusServiceUnavailable, "overloaded")
		assert.Equal(t, "1", refused.Header.Get("Retry-After"), path)
	}
	require.NoError(t, open[0].Close())
	for range 3 { // the place of the one whose client has gone, and then of those that end
		require.Eventually(t, func() bool {
			return op.Call(t, http.MethodGet, admin+"/payments.csv", "", nil).Status == http.StatusOK
		}, eventually, soon)
	}
}

// copyOrders doubles the stored orders a number of times.
func copyOrders(t *testing.T, stores *kit.Stores, times int) {
	t.Helper()
	for i := range times {
		copySome(t, stores, 1<<i)
	}
}

// copySome adds copies of the n newest orders, which become the oldest.
func copySome(t *testing.T, stores *kit.Stores, n int) {
	t.Helper()
	one := map[string]any{}
	require.NoError(t, stores.DB.Read.QueryRowxContext(t.Context(), `SELECT * FROM orders LIMIT 1`).MapScan(one))
	columns, selected := slices.Sorted(maps.Keys(one)), []string{}
	for _, name := range columns {
		switch name {
		case "number":
			name = "number - (SELECT COUNT(*) FROM orders)"
		case "task_id":
			name = "CONCAT(number - (SELECT COUNT(*) FROM orders), '')"
		case "record": // with another number, and a remark instead of the content's first member
			name = `CONCAT('{"v":1,"n":"', number - (SELECT COUNT(*) FROM orders), '",', SUBSTR(record,
				INSTR(record, '"u":'), INSTR(record, ',"c":{') + 6 - INSTR(record, '"u":')),
				'"remark":"` + strings.Repeat("x", 450) + `",',
				SUBSTR(record, INSTR(record, '"type":')))`
		}
		selected = append(selected, name)
	}
	_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO orders (`+strings.Join(columns, ", ")+`)
		SELECT `+strings.Join(selected, ", ")+` FROM orders ORDER BY number DESC LIMIT ?`, n)
	require.NoError(t, err)
}
