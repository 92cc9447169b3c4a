package lua

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestAllKeysOfALaneLieOnOneNodeOfACluster(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	for _, key := range []string{
		k.LockLog(12), k.Orders(12, "{ann}"), k.Dead(12), k.Seq(12), k.MoveLock(12), k.OrderLock(12, "7"),
		k.Meta(12, "act"), k.Stock(12, "act"), k.Paid(12, "act"), k.Bought(12, "act"), k.Held(12, "act"),
		k.Tasks(12, "act"), k.Changes(12, "act"), k.Answers(12, "act"), k.Rate(12, "act", 5),
		k.Permits(12, "act", "sku"), k.Window(12, "act", "sku"), k.HumanNonce(12, "act", "0a"),
		k.LineEarly(12, "act"), k.LineLate(12, "act"),
	} {
		// A cluster hashes the text between the first { and the } after it.
		_, rest, _ := strings.Cut(key, "{")
		tag, _, closed := strings.Cut(rest, "}")
		assert.True(t, closed, key)
		assert.Equal(t, "12", tag, key)
	}
}

// The ids that are drawn are words of keys, and what separates them.
func TestKeysOfDifferentThingsNeverMeet(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	const lane = 3
	id := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"orders", "stock", "meta", "paid", "permits", "rate", "line_early", "lock", "move", "order", "due", "dead",
			"human", "sale", "job", "limit", "window", "1", "a", ":", ":", "%", "%3A", "%25", "{3}",
		}), 1, 4).Draw(t, "parts"), "")
	})
	names := map[string]func(a, b string) string{
		"orders":  func(a, _ string) string { return k.Orders(lane, a) },
		"order":   func(a, _ string) string { return k.OrderLock(lane, a) },
		"meta":    func(a, _ string) string { return k.Meta(lane, a) },
		"stock":   func(a, _ string) string { return k.Stock(lane, a) },
		"paid":    func(a, _ string) string { return k.Paid(lane, a) },
		"bought":  func(a, _ string) string { return k.Bought(lane, a) },
		"held":    func(a, _ string) string { return k.Held(lane, a) },
		"tasks":   func(a, _ string) string { return k.Tasks(lane, a) },
		"changes": func(a, _ string) string { return k.Changes(lane, a) },
		"answers": func(a, _ string) string { return k.Answers(lane, a) },
		"rate":    func(a, b string) string { return k.Rate(lane, a, int64(len(b))) },
		"permits": func(a, b string) string { return k.Permits(lane, a, b) },
		"window":  func(a, b string) string { return k.Window(lane, a, b) },
		"early":   func(a, _ string) string { return k.LineEarly(lane, a) },
		"late":    func(a, _ string) string { return k.LineLate(lane, a) },
		"human":   func(a, b string) string { return k.HumanNonce(lane, a, b) },
		"sale":    func(a, _ string) string { return k.Sale(a) },
		"job":     func(a, _ string) string { return k.JobLock(a) },
		"due":     func(a, b string) string { return k.JobDue(a, int64(len(b))) },
		"limit":   func(a, _ string) string { return k.Limit(a) },
		"ticket":  func(a, _ string) string { return k.Ticket(a) },
	}
	fixed := []string{k.LockLog(lane), k.Dead(lane), k.Seq(lane), k.MoveLock(lane), k.Sales()}
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([]string{
			"orders", "order", "meta", "stock", "paid", "bought", "held", "tasks", "changes", "answers", "rate",
			"permits",
			"window", "early", "late", "human", "sale", "job", "due", "limit", "ticket",
		})
		draw := func(label string) (thing, key string) {
			kind, a, b := kinds.Draw(t, label), id.Draw(t, label), ""
			switch kind {
			case "permits", "window", "human":
				b = id.Draw(t, label)
			case "rate", "due": // a number
				b = strings.Repeat("b", rapid.IntRange(0, 12).Draw(t, label))
			}
			return fmt.Sprintf("%s %q %q", kind, a, b), names[kind](a, b)
		}
		thing, key := draw("one")
		other, otherKey := draw("other")
		assert.Equal(t, thing == other, key == otherKey, "%s, %s: %s", thing, other, key)
		assert.NotContains(t, fixed, key, thing)
	})
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
