package drill

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// served returns a try of a program, of which up to some visitors per second are served as they come.
func served(fast, slow Try, upTo int, tried *[]int) func(rate int) (*Report, Try, error) {
	return func(rate int) (*Report, Try, error) {
		*tried = append(*tried, rate)
		t := fast
		if rate > upTo {
			t = slow
		}
		t.Rate = rate
		return &Report{Visitors: rate}, t, nil
	}
}

func TestASearchFindsTheRateAndNamesTheBound(t *testing.T) {
	t.Parallel()
	fast := Try{P99MS: 100, AdmittedMS: 3000}
	for name, c := range map[string]struct {
		slow     Try
		measured bool
		bound    string
	}{
		"slow submits": {
			Try{P99MS: 101, Busy: []Busy{{"app", 0.9}, {"SQL", 0.6}}},
			true,
			"the bound was app, which had 0.9 processors",
		},
		"idle parts": {
			Try{P99MS: 101, Busy: []Busy{{"app", 0.4}}}, true, "the machine or the drill itself was the bound",
		},
		"not its own": {Try{P99MS: 101}, false, "not this drill's own program"},
		"late paths": {
			Try{P99MS: 5, AdmittedMS: 3001, Busy: []Busy{{"app", 0.9}}}, true, "visitors waited for their paths",
		},
		"dropped": {Try{P99MS: 5, Dropped: 1}, false, "visitors waited for their paths"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tried []int
			report, err := search(t.Context(), c.measured, served(fast, c.slow, 460, &tried))
			require.NoError(t, err)
			assert.Equal(t, []int{50, 100, 200, 400, 800, 600, 500, 450}, tried)
			assert.Equal(t, 450, report.Visitors, "the last that was fast enough")
			require.Len(t, report.Notes, 1)
			assert.Contains(t, report.Notes[0], "Up to 450 visitors per second, p99 of submits is below 100ms; at 500,")
			assert.Contains(t, report.Notes[0], c.bound)
			assert.Len(t, report.Tries, len(tried))
		})
	}
}

func TestASearchEnds(t *testing.T) {
	t.Parallel()
	var tried []int
	_, err := search(t.Context(), true, served(Try{}, Try{P99MS: 500}, 0, &tried))
	require.ErrorContains(t, err, "too fast already: 1 visitors per second: p99 of submits 500 ms")
	tried = nil
	report, err := search(t.Context(), true, served(Try{}, Try{}, 1<<40, &tried))
	require.NoError(t, err)
	assert.Len(t, tried, 16)
	assert.Equal(t, []string{"Up to 1638400 visitors per second, p99 of submits is below 100ms."}, report.Notes)

	broken := &Report{Checks: []Check{{Verdict: Broken}}}
	report, err = search(t.Context(), true, func(int) (*Report, Try, error) { return broken, Try{}, nil })
	require.NoError(t, err)
	assert.Len(t, report.Tries, 1, "a broken guarantee ends it")
	away := errors.New("away")
	_, err = search(t.Context(), true, func(int) (*Report, Try, error) { return nil, Try{}, away })
	require.ErrorIs(t, err, away)
	report, err = search(t.Context(), true, func(rate int) (*Report, Try, error) {
		if rate > 100 {
			return nil, Try{}, away
		}
		return &Report{}, Try{Rate: rate}, nil
	})
	require.NoError(t, err, "what was found stays")
	assert.Equal(t, []string{
		"Up to 100 visitors per second, p99 of submits is below 100ms; 200 could not be tried: away.",
	}, report.Notes)
}
