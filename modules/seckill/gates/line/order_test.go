package line

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/modules/sign"
	"onrush/test/kit"
)

const (
	crowd   = 10_000
	deciles = 10
	// unlikely is a chi-square with 81 degrees of freedom that a random order exceeds once in 10,000 times.
	unlikely = 133.0
)

// chiSquare compares when users came with when they are admitted: order has the positions of users in the order
// in which they came. Each tenth of those who came must be spread evenly over the tenths of the positions.
func chiSquare(order []int64) (sum float64) {
	var counts [deciles][deciles]int
	for came, position := range order {
		counts[came*deciles/len(order)][int(position)*deciles/len(order)]++
	}
	expected := float64(len(order)) / deciles / deciles
	for _, row := range counts {
		for _, n := range row {
			sum += (float64(n) - expected) * (float64(n) - expected) / expected
		}
	}
	return sum
}

func user(i int) string { return "user-" + strconv.Itoa(i) }

func TestTenThousandWhoComeBeforeTheStartAreAdmittedInARandomOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		people := crowd
		if stores.Name == kit.Embedded {
			people = crowd / 20 // its time for a rank grows with their number
		}
		w := newWorld(stores, 50, -time.Hour)
		instances := []*Service{w.instance(t), w.instance(t)}
		places := make([]string, people)
		each(t, people, func(i int) error {
			answer, err := instances[i%2].Join(t.Context(), user(i), "", "a1")
			if err == nil && (answer.Status != Waiting || answer.Ahead != nil) {
				err = fmt.Errorf("before the start: %+v", answer)
			}
			if err == nil {
				places[i] = answer.Place
			}
			return err
		})
		w.start()
		instances[1] = w.instance(t) // the other one died
		order := make([]int64, people)
		each(t, people, func(i int) error {
			answer, err := instances[(i+1)%2].Place(t.Context(), user(i), "", places[i])
			if err == nil {
				order[i] = *answer.Ahead
			}
			return err
		})
		assert.Less(t, chiSquare(order), unlikely)
		slices.Sort(order)
		for i := range order {
			require.EqualValues(t, i, order[i], "nobody twice, nobody missing")
		}
	})
}

// each calls do for every user, with some at the same time.
func each(t *testing.T, people int, do func(i int) error) {
	t.Helper()
	var all errgroup.Group
	all.SetLimit(8)
	for i := range people {
		all.Go(func() error { return do(i) })
	}
	require.NoError(t, all.Wait())
}

func TestTheOrderIsRandomWhateverTheSecretAndTheActivity(t *testing.T) {
	t.Parallel()
	var before []int64
	for seed := range 20 {
		for _, activity := range []string{"a1", "a2"} {
			s := newSealer(sign.Secrets{secret + strconv.Itoa(seed)})
			order := ranks(s, activity)
			assert.Less(t, chiSquare(order), unlikely, "%d %s", seed, activity)
			if before != nil { // in the order of the users' places in another sale or under another secret
				in := make([]int64, crowd)
				for i, position := range before {
					in[position] = order[i]
				}
				assert.Less(t, chiSquare(in), unlikely, "%d %s, independent of the one before", seed, activity)
			}
			before = order
		}
	}
	sorted := make([]int64, crowd)
	for i := range sorted {
		sorted[i] = int64(i)
	}
	assert.Greater(t, chiSquare(sorted), unlikely, "the test can fail")
}

// ranks returns the positions of the crowd as Redis ranks their scores.
func ranks(s sealer, activity string) []int64 {
	users := make([]int, crowd)
	scores := make([]int64, crowd)
	for i := range users {
		users[i] = i
		scores[i], _ = s.score(activity, user(i))
	}
	slices.SortFunc(users, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	order := make([]int64, crowd)
	for position, i := range users {
		order[i] = int64(position)
	}
	return order
}
