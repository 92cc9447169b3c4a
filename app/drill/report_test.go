package drill

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/drill/meter"
)

func TestAReportSaysWhatIsBrokenInTextAndAsAPage(t *testing.T) {
	t.Parallel()
	v := newVerdicts()
	for n := range maxProblems + 2 {
		v.problem(checkMoney, "order %d <b>is</b> paid twice", n)
	}
	v.want(checkStock, "sold out")
	r := &Report{
		Scenario: Rush, Visitors: 10, Arrived: 10, Orders: 3, Checks: v.list(), Answers: map[string]int{"submit:ok": 3},
		Seconds: []meter.Second{{At: 0, Answers: 3, P99MS: 12}, {At: 1, Answers: 7, P99MS: 8}},
	}
	var text, page strings.Builder
	require.NoError(t, r.Print(&text))
	require.NoError(t, r.HTML(&page))
	for _, want := range []string{
		"money   broken", "money: order 0 <b>is</b> paid twice", "money: and 2 more",
		"stock: planned, and never happened: sold out", "submit:ok  3",
	} {
		assert.Contains(t, text.String(), want)
	}
	assert.Contains(t, page.String(), "order 0 &lt;b&gt;is&lt;/b&gt; paid twice")
	assert.Contains(t, page.String(), `points="0.0,68.6 600.0,0.0 "`, "the largest figure is at the top")
	assert.NotRegexp(t, `(src|href)=`, page.String(), "it needs no network")
}
