package model

import (
	"testing"

	"pgregory.net/rapid"

	"onrush/test/kit"
)

func TestOrdersLiveAsTheModelSaysOnEmbeddedStores(t *testing.T) {
	t.Parallel()
	explore(t, kit.OnEmbedded, kit.Breakable())
}

// explore runs random sequences of actions, each on its own stores, and checks the program after every action.
func explore(t *testing.T, open func(tb testing.TB, opts ...kit.Option) *kit.Stores, opts ...kit.Option) {
	t.Helper()
	seen := &tally{}
	t.Cleanup(func() { t.Log("\n" + seen.String()) })
	rapid.Check(t, func(check *rapid.T) {
		m := newModel(t, check, open(tb{t, check}, opts...), seen)
		check.Repeat(map[string]func(*rapid.T){"": m.Check, "act": m.Act})
		m.finish()
	})
}
