package lua

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestAllKeysOfALaneLieOnOneNodeOfACluster(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	for _, key := range []string{
		k.Queue(12), k.Orders(12, "{ann}"), k.Dead(12), k.Leases(12), k.Numbers(12), k.MoveLock(12),
		k.OrderLock(12, "7"),
		k.Meta(12, "act"), k.Stock(12, "act"), k.Paid(12, "act"), k.Bought(12, "act"), k.Held(12, "act"),
		k.Tasks(12, "act"), k.Changes(12, "act"), k.Answers(12, "act"), k.Rate(12, "act", 5),
		k.Permits(12, "act", "sku"), k.Window(12, "act", "sku"), k.HumanNonce(12, "act", "0a"),
		k.LineEarly(12, "act"), k.LineLate(12, "act"), k.Waitlist(12, "act"),
	} {
		// A cluster hashes the text between the first { and the } after it.
		_, rest, _ := strings.Cut(key, "{")
		tag, _, closed := strings.Cut(rest, "}")
		assert.True(t, closed, key)
		assert.Equal(t, "12", tag, key)
	}
}

// Ids are made of two words and of what separates the parts of keys, so that keys would meet if their parts did.
func TestKeysOfDifferentThingsNeverMeet(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	const lane = 3
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"orders", "stock", "meta", "paid", "bought", "held", "tasks", "changes", "answers", "permits", "rate",
		"line_early", "waitlist", "lock", "move", "order", "due", "dead", "leases", "numbers", "site", "human",
		"sale", "sales", "job", "limit", "window",
		"ticket", "1", "a", ".", "_", "-", "",
	}), 2, 2, rapid.ID)
	ofOne := map[string]func(a string) string{
		"orders":  func(a string) string { return k.Orders(lane, a) },
		"order":   func(a string) string { return k.OrderLock(lane, a) },
		"meta":    func(a string) string { return k.Meta(lane, a) },
		"stock":   func(a string) string { return k.Stock(lane, a) },
		"paid":    func(a string) string { return k.Paid(lane, a) },
		"bought":  func(a string) string { return k.Bought(lane, a) },
		"held":    func(a string) string { return k.Held(lane, a) },
		"tasks":   func(a string) string { return k.Tasks(lane, a) },
		"changes": func(a string) string { return k.Changes(lane, a) },
		"answers": func(a string) string { return k.Answers(lane, a) },
		"early":   func(a string) string { return k.LineEarly(lane, a) },
		"waits":   func(a string) string { return k.Waitlist(lane, a) },
		"late":    func(a string) string { return k.LineLate(lane, a) },
		"sale":    k.Sale,
		"job":     k.JobLock,
		"limit":   k.Limit,
		"ticket":  k.Ticket,
		"rate 1":  func(a string) string { return k.Rate(lane, a, 1) },
		"rate 11": func(a string) string { return k.Rate(lane, a, 11) },
		"due 1":   func(a string) string { return k.JobDue(a, 1) },
		"due 11":  func(a string) string { return k.JobDue(a, 11) },
	}
	ofTwo := map[string]func(a, b string) string{
		"permits": func(a, b string) string { return k.Permits(lane, a, b) },
		"window":  func(a, b string) string { return k.Window(lane, a, b) },
		"human":   func(a, b string) string { return k.HumanNonce(lane, a, b) },
	}
	rapid.Check(t, func(t *rapid.T) {
		ids := idsOf(append(words.Draw(t, "words"), ":"))
		type thing struct{ kind, a, b string }
		things := map[string]thing{ // by key
			k.Queue(lane): {kind: "queue"}, k.Dead(lane): {kind: "dead"}, k.Leases(lane): {kind: "leases"},
			k.Numbers(lane): {kind: "numbers"}, k.Site(): {kind: "site"},
			k.MoveLock(lane): {kind: "move"}, k.Sales(): {kind: "sales"},
		}
		is := func(key string, is thing) {
			if other, met := things[key]; met {
				t.Fatalf("%+q and %+q have the key %s", other, is, key)
			}
			things[key] = is
		}
		for _, a := range ids {
			for kind, name := range ofOne {
				is(name(a), thing{kind: kind, a: a})
			}
			for _, b := range ids {
				for kind, name := range ofTwo {
					is(name(a, b), thing{kind, a, b})
				}
			}
		}
	})
}

// idsOf returns all ids of one or two parts, without the empty one.
func idsOf(parts []string) []string {
	ids := map[string]bool{}
	for _, a := range parts {
		for _, b := range append(parts, "") {
			ids[a+b] = true
		}
	}
	delete(ids, "")
	return slices.Sorted(maps.Keys(ids))
}

func TestAnActivityIsNotTheOrdersOfAUser(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	for _, user := range []string{"stock", "meta", "paid", "bought", "held", "tasks", "changes", "answers"} {
		for _, key := range []string{
			k.Meta(1, "orders"), k.Stock(1, "orders"), k.Paid(1, "orders"), k.Bought(1, "orders"), k.Held(1, "orders"),
			k.Tasks(1, "orders"), k.Changes(1, "orders"), k.Answers(1, "orders"),
		} {
			assert.NotEqual(t, key, k.Orders(1, user))
		}
	}
}
