package lua

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ack returns how many entries left the queue.
func ack(t tb, all stores, acks ...Ack) int {
	t.Helper()
	return ackFrom(t, all, 0, acks...).Removed
}

func ackFrom(t tb, all stores, from int, acks ...Ack) Acked {
	t.Helper()
	acked, err := same(t, all, func(s *Scripts) (Acked, error) {
		return s.AckMoved(t.Context(), lane, from, acks, Note{})
	})
	require.NoError(t, err)
	return acked
}

func stored(o PlaceOrder) Ack {
	return Ack{Entry: o.Entry, Number: o.Number, Activity: activity, User: o.User, Task: o.Task, Verdict: VerdictStored}
}

func failed(o PlaceOrder, reason string) Ack {
	a := stored(o)
	a.Verdict, a.Reason = VerdictFailed, reason
	return a
}

func TestAckRemovesRecordsAndSettlesTasks(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:sku1", "9")
	orders := []PlaceOrder{
		buy("1", "ann", 1), buy("2", "ann", 1), buy("3", "bob", 2), buy("4", "cid", 1), buy("5", "dan", 1),
	}
	place(t, all, orders...)
	dead := stored(orders[3])
	dead.Verdict, dead.DeadID, dead.Dead = VerdictDead, "x1", `{"why":"x"}`
	assert.Equal(t, 4, ack(t, all, stored(orders[0]), stored(orders[1]), failed(orders[2], "no unit: at 0"), dead))

	k := all.keys()
	assert.Equal(t, []string{orders[4].Entry}, all.list(t, k.Queue(lane)))
	assert.Empty(t, all.hash(t, k.Orders(lane, "ann")))
	assert.Empty(t, all.hash(t, k.Orders(lane, "bob")))
	assert.Len(t, all.hash(t, k.Orders(lane, "cid")), 1)
	assert.Equal(t, map[string]string{
		"t1": orders[0].Number + ":S:d1", "t2": orders[1].Number + ":S:d2",
		"t3": orders[2].Number + ":F:d3:no unit: at 0",
		"t4": orders[3].Number + ":P:d4", "t5": orders[4].Number + ":P:d5",
	}, all.hash(t, k.Tasks(lane, activity)))
	assert.Equal(t, map[string]string{"x1": `{"why":"x"}`}, all.hash(t, k.Dead(lane)))
	held := all.hash(t, k.Held(lane, activity))
	assert.NotContains(t, held, orders[2].Number)
	assert.Len(t, held, 4)
	bought := all.hash(t, k.Bought(lane, activity))
	assert.NotContains(t, bought, "a:bob")
	assert.NotContains(t, bought, "s:sku1~bob")
	assert.Equal(t, "2", bought["a:ann"])
	assert.Equal(t, "0", all.hash(t, k.Stock(lane, activity))["sku1~0"], "a failed order gives no stock back")
}

func TestAckStopsWhereTheQueueDiffers(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	one, two, three := buy("1", "ann", 1), buy("2", "ann", 1), buy("3", "ann", 1)
	place(t, all, one, two, three)
	assert.Equal(t, 1, ack(t, all, stored(one), stored(three), stored(two)))
	assert.Equal(t, 0, ack(t, all, stored(one)), "another mover's ack comes second")
	assert.Equal(t, 2, ack(t, all, stored(two), stored(three), stored(one)))
	assert.Equal(t, 0, ack(t, all, stored(one)))
	assert.Equal(t, 0, ack(t, all))
}

func TestAckKeepsTheTaskOfAnotherNumber(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	one, two := buy("1", "ann", 1), buy("2", "ann", 1)
	place(t, all, one, two)
	wrong, unknown := stored(one), stored(two)
	wrong.Task, unknown.Task = two.Task, "t404"
	assert.Equal(t, 2, ack(t, all, wrong, unknown))
	assert.Equal(t, map[string]string{"t1": one.Number + ":P:d1", "t2": two.Number + ":P:d2"},
		all.hash(t, all.keys().Tasks(lane, activity)))
}

func TestAckOfARepeatGivesItsTaskAndUnitsToTheOrderItRepeats(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:sku1", "9")
	orders := []PlaceOrder{
		buy("1", "ann", 1), buy("2", "bob", 1), buy("3", "cid", 1), buy("4", "dan", 1), buy("5", "ann", 1),
	}
	place(t, all, orders...)
	k := all.keys()
	left := func() string { return all.hash(t, k.Stock(lane, activity))["sku1~0"] }
	require.Equal(t, "1", left())
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), k.Held(lane, activity), "92", "sku1~0~1~bob").Err()
	})
	repeat := func(o PlaceOrder, of Repeat) Ack {
		a := stored(o)
		a.Verdict, a.Of = VerdictRepeat, of
		return a
	}
	failed := repeat(orders[3], Repeat{Number: "94", State: VerdictFailed})
	failed.Reason = "no_stock"
	assert.Equal(t, 5, ack(t, all,
		repeat(orders[0], Repeat{Number: "91", State: VerdictStored, Unpaid: true, Counts: true}),
		// Redis has its hold
		repeat(orders[1], Repeat{Number: "92", State: VerdictStored, Unpaid: true, Counts: true}),
		repeat(orders[2], Repeat{Number: "93", State: VerdictStored}), // it was cancelled
		failed,
		// Another repeat of the first.
		repeat(orders[4], Repeat{Number: "91", State: VerdictStored, Unpaid: true, Counts: true}),
	))
	assert.Equal(t, map[string]string{
		"t1": "91:S:d1", "t2": "92:S:d2", "t3": "93:S:d3", "t4": "94:F:d4:no_stock", "t5": "91:S:d5",
	}, all.hash(t, k.Tasks(lane, activity)))
	assert.Equal(t, map[string]string{"91": "sku1~0~1~ann", "92": "sku1~0~1~bob"}, all.hash(t, k.Held(lane, activity)))
	assert.Equal(t, "5", left(), "one is the first's again")
	assert.Equal(t, map[string]string{"a:ann": "2", "s:sku1~ann": "2", "a:bob": "1", "s:sku1~bob": "1"},
		all.hash(t, k.Bought(lane, activity)))
	assert.Empty(t, all.list(t, k.Queue(lane)))
	for _, user := range []string{"ann", "bob", "cid", "dan"} {
		assert.Empty(t, all.hash(t, k.Orders(lane, user)))
	}
}

func TestAckOfSeveralActivitiesKeepsThemApart(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	k := all.keys()
	var acks []Ack
	all.each(t, func(s *Scripts) error {
		acks = nil
		for i, name := range []string{"act1", "act2", "act1"} {
			number := strconv.Itoa(i)
			a := Ack{
				Entry: "e" + number, Number: number, Activity: name, User: "u" + name, Task: "t" + number,
				Verdict: VerdictFailed,
			}
			acks = append(acks, a)
			ctx := t.Context()
			for _, err := range []error{
				s.Redis.RPush(ctx, k.Queue(lane), a.Entry).Err(),
				s.Redis.HSet(ctx, k.Orders(lane, a.User), OrderField(number), "r").Err(),
				s.Redis.HSet(ctx, k.Tasks(lane, name), a.Task, number+":P:d").Err(),
				s.Redis.HSet(ctx, k.Held(lane, name), number, "sku1~0~2~"+a.User).Err(),
				s.Redis.HSet(ctx, k.Bought(lane, name), "a:"+a.User, 5).Err(),
			} {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	assert.Equal(t, 3, ack(t, all, acks...))
	assert.Equal(t, map[string]string{"a:uact1": "1"}, all.hash(t, k.Bought(lane, "act1")))
	assert.Equal(t, map[string]string{"a:uact2": "3"}, all.hash(t, k.Bought(lane, "act2")))
	assert.Equal(t, map[string]string{"t0": "0:F:d", "t2": "2:F:d"}, all.hash(t, k.Tasks(lane, "act1")))
	assert.Empty(t, all.hash(t, k.Held(lane, "act1")))
	assert.Empty(t, all.hash(t, k.Orders(lane, "uact2")))
}

func TestAckSendsAnUnreadableEntryToDead(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	all.each(t, func(s *Scripts) error {
		return s.Redis.RPush(t.Context(), s.Keys.Queue(lane), "rubbish").Err()
	})
	assert.Equal(t, 1, ack(t, all, Ack{Entry: "rubbish", Verdict: VerdictDead, DeadID: "x", Dead: "{}"}))
	assert.Equal(t, map[string]string{"x": "{}"}, all.hash(t, all.keys().Dead(lane)))
	assert.Empty(t, all.list(t, all.keys().Queue(lane)))
}

func TestAckWithAnImpossibleVerdictIsRefused(t *testing.T) {
	t.Parallel()
	s := newStores(t)[0]
	for _, a := range []Ack{
		{Entry: "e", Verdict: "?"},
		{Entry: "e", Verdict: VerdictStored},
		{Entry: "e", Verdict: VerdictDead},
		{Entry: "e", Activity: "a", User: "u", Verdict: VerdictRepeat},
		{Entry: "e", Activity: "a", User: "u", Verdict: VerdictStored, Of: Repeat{Number: "1"}},
	} {
		_, err := s.AckMoved(t.Context(), lane, 0, []Ack{a}, Note{})
		assert.Error(t, err)
	}
}

func TestAckTakesTwoThousandEntries(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	const n = 2000
	entries, acks := make([]any, n), make([]Ack, n)
	for i := range n {
		number := strconv.Itoa(i)
		entries[i] = "e" + number
		acks[i] = Ack{
			Entry: "e" + number, Number: number, Activity: activity, User: "ann", Task: "t" + number,
			Verdict: VerdictFailed,
		}
	}
	all.each(t, func(s *Scripts) error {
		holds, tasks := make([]any, 0, 2*n), make([]any, 0, 2*n)
		for i := range n {
			number := strconv.Itoa(i)
			holds, tasks = append(holds, number, "sku1~0~1~ann"), append(tasks, "t"+number, number+":P:d")
		}
		for _, err := range []error{
			s.Redis.RPush(t.Context(), s.Keys.Queue(lane), entries...).Err(),
			s.Redis.HSet(t.Context(), s.Keys.Held(lane, activity), holds...).Err(),
			s.Redis.HSet(t.Context(), s.Keys.Tasks(lane, activity), tasks...).Err(),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	assert.Equal(t, n, ack(t, all, acks...))
	assert.Empty(t, all.hash(t, all.keys().Held(lane, activity)))
	assert.Equal(t, "1999:F:d", all.hash(t, all.keys().Tasks(lane, activity))["t1999"])
}

// A load counts the entries in the queue: meanwhile no entry of its sale leaves the queue.
func TestEntriesOfASaleThatIsLoadedStayInTheQueue(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	first, second := buy("1", "ann", 1), buy("2", "bob", 1)
	place(t, all, first, second)
	other := Ack{Entry: first.Entry, Number: first.Number, Activity: "other", User: "ann", Verdict: VerdictStored}
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", string(StateLoading)).Err()
	})
	assert.Equal(t, 0, ack(t, all, stored(first), stored(second)))
	assert.Equal(t, 1, ack(t, all, other, stored(second)), "entries of another sale before it are removed")
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", string(StateClosed)).Err()
	})
	assert.Equal(t, 1, ack(t, all, stored(second)))
}

func TestAnAckWithAnOutdatedNoteDoesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	first, second := buy("1", "ann", 1), buy("2", "bob", 1)
	place(t, all, first, second)
	k := all.keys()
	acked := func(a Ack, note Note) error {
		_, err := same(t, all,
			func(s *Scripts) (Acked, error) { return s.AckMoved(t.Context(), lane, 0, []Ack{a}, note) })
		return err
	}
	begin := func(was, becomes, run string) bool {
		done, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.BeginPositions(t.Context(), lane, was, becomes, run)
		})
		require.NoError(t, err)
		return done
	}
	require.True(t, begin("", "?1", "r1"))
	assert.False(t, begin("", "?2", "r1"), "another reader has begun")
	require.ErrorIs(t, acked(stored(first), Note{}), ErrNoted, "somebody reads a replica since")
	assert.Len(t, all.list(t, k.Queue(lane)), 2)

	note := Note{Position: "p7", Fields: []string{FieldSince, "4", "5"}, Was: []string{"?1", "", ""}}
	require.NoError(t, acked(stored(first), note))
	assert.Equal(t, map[string]string{"since": "?1", "run": "r1", "4": "p7", "5": "p7"}, all.hash(t, k.Written(lane)))
	require.ErrorIs(t, acked(stored(second), note), ErrNoted, "the fields have changed")
	assert.Equal(t, []string{second.Entry}, all.list(t, k.Queue(lane)))

	require.True(t, begin("?1", "p6", ""))
	assert.Equal(t, map[string]string{"since": "p6", "run": "r1", "4": "p7", "5": "p7"}, all.hash(t, k.Written(lane)))
	require.True(t, begin("p6", "?8", "r2"))
	assert.Equal(t, map[string]string{"since": "?8", "run": "r2"}, all.hash(t, k.Written(lane)))
}

func TestAckSettlesWhatStandsBehindAnEntryThatWaits(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	one, two, three, four := buy("1", "ann", 1), buy("2", "bob", 1), buy("3", "cid", 1), buy("4", "dan", 1)
	place(t, all, one, two, three, four)
	k := all.keys()
	waiting, dead := stored(two), stored(three)
	waiting.Verdict, dead.Verdict, dead.DeadID, dead.Dead = VerdictWait, VerdictDead, "x", "{}"
	acks := []Ack{stored(one), waiting, dead, stored(four)}
	assert.Equal(t, Acked{Seen: 4, Removed: 1, Waits: []int{1, 2}}, ackFrom(t, all, 0, acks...),
		"a dead one waits until it is at the head, since an operator might discard it while its entry is there")
	line := []string{two.Entry, three.Entry, four.Entry}
	assert.Equal(t, line, all.list(t, k.Queue(lane)))
	tasks := all.hash(t, k.Tasks(lane, activity))
	assert.Equal(t, one.Number+":S:d1", tasks["t1"])
	assert.Equal(t, two.Number+":P:d2", tasks["t2"])
	assert.Equal(t, four.Number+":S:d4", tasks["t4"])
	assert.Empty(t, all.hash(t, k.Orders(lane, "dan")))
	assert.Empty(t, all.hash(t, k.Dead(lane)))

	assert.Equal(t, Acked{Seen: 1}, ackFrom(t, all, 2, stored(four)), "again, from its place")
	assert.Equal(t, Acked{}, ackFrom(t, all, 1, stored(four)), "it is not there")
	assert.Equal(t, line, all.list(t, k.Queue(lane)))
	assert.Equal(t, Acked{Seen: 3, Removed: 3}, ackFrom(t, all, 0, stored(two), dead, stored(four)))
	assert.Empty(t, all.list(t, k.Queue(lane)))
	assert.Len(t, all.hash(t, k.Dead(lane)), 1)
}

// A key that can't be read stops neither the other sales nor what doesn't need it.
func TestAckGoesOnBesideKeysThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, spoiled := range []string{"meta", "tasks", "held", "bought", "stock", "orders", "dead"} {
		t.Run(spoiled, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			k := all.keys()
			var acks []Ack
			all.each(t, func(s *Scripts) error {
				acks = nil
				for i, name := range []string{"act1", "act2"} {
					number := strconv.Itoa(i)
					a := Ack{
						Entry: "e" + number, Number: number, Activity: name, User: "u" + name, Task: "t" + number,
						Verdict: VerdictOverLimit,
					}
					acks = append(acks, a)
					for _, err := range []error{
						s.Redis.RPush(t.Context(), k.Queue(lane), a.Entry).Err(),
						s.Redis.HSet(t.Context(), k.Orders(lane, a.User), OrderField(number), "r").Err(),
						s.Redis.HSet(t.Context(), k.Tasks(lane, name), a.Task, number+":P:d").Err(),
						s.Redis.HSet(t.Context(), k.Held(lane, name), number, "sku1~0~2~"+a.User).Err(),
						s.Redis.HSet(t.Context(), k.Bought(lane, name), "a:"+a.User, 5).Err(),
					} {
						if err != nil {
							return err
						}
					}
				}
				acks = append(acks, Ack{Entry: "rubbish", Verdict: VerdictDead, DeadID: "x", Dead: "{}"})
				key := map[string]string{
					"meta": k.Meta(lane, "act1"), "tasks": k.Tasks(lane, "act1"), "held": k.Held(lane, "act1"),
					"bought": k.Bought(lane, "act1"), "stock": k.Stock(lane, "act1"), "orders": k.Orders(lane, "uact1"),
					"dead": k.Dead(lane),
				}[spoiled]
				return errors.Join(s.Redis.RPush(t.Context(), k.Queue(lane), "rubbish").Err(),
					s.Redis.Del(t.Context(), key).Err(), s.Redis.Set(t.Context(), key, "spoiled", 0).Err())
			})
			acked := ackFrom(t, all, 0, acks...)
			want := Acked{Seen: 3, Removed: 3}
			switch spoiled {
			case "tasks", "held", "bought", "stock":
				want.Broken = []string{"act1"}
			case "dead":
				want.Removed, want.Waits = 2, []int{2}
			}
			assert.Equal(t, want, acked)
			assert.Equal(t, map[string]string{"t1": "1:F:d"}, all.hash(t, k.Tasks(lane, "act2")))
			assert.Equal(t, map[string]string{"a:uact2": "3"}, all.hash(t, k.Bought(lane, "act2")))
			assert.Equal(t, "2", all.hash(t, k.Stock(lane, "act2"))["sku1"])
			assert.Empty(t, all.hash(t, k.Orders(lane, "uact2")))
		})
	}
}
