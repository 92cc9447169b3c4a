package line

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/segments"
	"onrush/test/kit"
)

func TestWithoutAWaitingRoomEverybodyIsAdmittedWithoutAStore(t *testing.T) {
	t.Parallel()
	w := newWorld(kit.OnEmbedded(t), 0, time.Minute)
	s := w.instance(t)
	assert.Equal(t, &Answer{Status: Admitted}, joins(t, s, "ada"))
	require.NoError(t, s.Admit(w.sale, "ada", "any text"))
	assert.Zero(t, w.commands.Load())
}

func TestAfterTheStartWhoComesFirstIsServedFirst(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 2, time.Minute)
		instances := []*Service{w.instance(t), w.instance(t)}
		first := joins(t, instances[0], "first")
		assert.Equal(t, Admitted, first.Status, "while nobody waits")
		for i := range 20 {
			s := instances[i%2]
			answer := joins(t, s, user(i))
			assert.Equal(t, Waiting, answer.Status)
			assert.EqualValues(t, i, *answer.Ahead)
			assert.Equal(t, position(t, s, "first", first)+1+int64(i), position(t, s, user(i), answer))
			assert.Equal(t, answer, joins(t, instances[(i+1)%2], user(i)), "the same place again")
		}
		w.clock.Advance(500 * time.Millisecond)
		for i := range 3 {
			assert.Equal(t, i == 0, joins(t, instances[0], user(i)).Status == Admitted, "one every half second")
		}
	})
}

// A crowd that joins at once, and one that asks for its positions at the start, take a few calls of Redis.
func TestACrowdSharesCalls(t *testing.T) {
	t.Parallel()
	const crowd = 64
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 0.01, -time.Hour)
		s := w.instance(t)
		joins(t, s, "first") // Redis has the script
		_, err := s.lua.LinePositions(t.Context(), w.sale.Lane, "a1", []string{"nobody"}, 0)
		require.NoError(t, err)
		all := func(do func(user string) *Answer) (calls int64, positions map[int64]bool) {
			sent, answers := w.commands.Load(), make([]*Answer, crowd)
			var asking sync.WaitGroup
			for i := range answers {
				asking.Go(func() { answers[i] = do(user(i)) })
			}
			asking.Wait()
			positions = map[int64]bool{}
			for i, answer := range answers {
				positions[position(t, s, user(i), answer)] = true
			}
			return w.commands.Load() - sent, positions
		}
		join := func(user string) *Answer { return joins(t, s, user) }
		calls, positions := all(join)
		assert.Less(t, calls, int64(crowd/2))
		assert.Equal(t, map[int64]bool{early: true}, positions)
		w.start()
		calls, positions = all(func(user string) *Answer {
			answer, err := s.Place(t.Context(), user, "", s.seal.seal(user, place{activity: "a1", position: early}))
			assert.NoError(t, err)
			return answer
		})
		assert.Less(t, calls, int64(crowd/2))
		assert.Len(t, positions, crowd, "each has a position of its own")
		_, again := all(join)
		assert.Equal(t, positions, again)
	})
}

// Whoever has a place in a full Redis gets it again, although others who share the call get none.
func TestAFullRedisRefusesOnlyWhoIsNew(t *testing.T) {
	t.Parallel()
	stores := kit.Own(t, kit.RedisOnly())
	w := newWorld(stores.Stores, 0.01, -time.Hour)
	s := w.instance(t)
	joins(t, s, "ada")
	for _, started := range []bool{false, true} {
		if started {
			w.start()
			require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", "0").Err())
			joins(t, s, "bob")
		}
		require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", "1").Err())
		places := make([]lua.LinePlace, 3)
		require.NoError(t, s.joinAll("a1", []request{{w.sale, "cid"}, {w.sale, "ada"}, {w.sale, "bob"}}, places))
		assert.Equal(t, lua.LineFull, places[0].Code, "started: %v", started)
		assert.NotEqual(t, lua.LineFull, places[1].Code)
		assert.Equal(t, started, places[2].Code == lua.LinePosition)
		_, err := s.Join(t.Context(), "cid", "", "a1")
		assert.Equal(t, errFull, err)
	}
}

func TestAPlaceOfAnotherUserOrSaleOrAForgedOneIsRefusedWithoutAStore(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 10, time.Minute)
		s := w.instance(t)
		sealed := joins(t, s, "ada").Place
		sale, err := w.Sale(t.Context(), "a1")
		require.NoError(t, err)
		sent := w.commands.Load()
		require.NoError(t, s.Admit(sale, "ada", sealed))
		refused := func(code problem.Code, user, sealed string) {
			t.Helper()
			assert.Equal(t, code, problem.CodeOf(s.Admit(sale, user, sealed)))
		}
		refused(CodeLineRequired, "ada", "")
		for _, forged := range []string{
			sealed[1:], sealed[:len(sealed)-1], sealed + "A", "A", strings.Repeat("A", 5000),
		} {
			refused(CodePlaceInvalid, "ada", forged)
			_, err := s.Place(t.Context(), "ada", "", forged)
			assert.Equal(t, CodePlaceInvalid, problem.CodeOf(err))
		}
		refused(CodePlaceInvalid, "eve", sealed)
		_, err = s.Place(t.Context(), "eve", "", sealed)
		assert.Equal(t, CodePlaceInvalid, problem.CodeOf(err))
		refused(CodePlaceInvalid, "ada", s.seal.seal("ada", place{activity: "a2"}))
		w.clock.Advance(AdmittedFor + time.Second)
		refused(CodeLineRequired, "ada", sealed)
		_, err = s.Place(t.Context(), "ada", "", sealed)
		assert.Equal(t, errExpired, err)
		assert.Equal(t, sent, w.commands.Load(), "no command of Redis")
	})
}

func TestAnExpiredPlaceMakesRoomAndItsUserJoinsAtTheEnd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 1, time.Minute)
		s := w.instanceWith(t, Config{Most: 2})
		joins(t, s, "ada")
		last := position(t, s, "bob", joins(t, s, "bob"))
		_, err := s.Join(t.Context(), "cid", "", "a1")
		assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(err))
		w.clock.Advance(AdmittedFor + 500*time.Millisecond)
		again := joins(t, s, "ada")
		assert.Equal(t, Admitted, again.Status, "nobody waits any more")
		assert.Greater(t, position(t, s, "ada", again), last)
	})
}

func TestPlacesSurviveAnInstanceAndThoseWithAPositionSurviveAFlushedRedis(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 10, -time.Hour)
		s := w.instance(t)
		ada, bob := joins(t, s, "ada"), joins(t, s, "bob")
		w.start()
		numbered, err := s.Place(t.Context(), "ada", "", ada.Place)
		require.NoError(t, err)
		assert.NotEqual(t, ada.Place, numbered.Place, "it has the position now")
		other := w.instance(t)
		answer, err := other.Place(t.Context(), "ada", "", ada.Place)
		require.NoError(t, err)
		assert.Equal(t, numbered, answer)
		assert.Equal(t, numbered, joins(t, other, "ada"))
		late := joins(t, other, "cid")
		stores.LoseRedis(t)
		third := w.instance(t)
		for user, want := range map[string]*Answer{"ada": numbered, "cid": late} {
			answer, err := third.Place(t.Context(), user, "", want.Place)
			require.NoError(t, err)
			assert.Equal(t, want, answer)
		}
		for range 2 {
			_, err = third.Place(t.Context(), "bob", "", bob.Place)
			assert.Equal(t, errLost, err)
		}
		assert.Equal(t, errLost, third.Admit(w.saleNow(t), "bob", bob.Place))
	})
}

// outdated are the sales of an instance that knows of a change later than others.
type outdated struct {
	*world
	sale Sale
}

func (o outdated) Sale(context.Context, string) (Sale, error) { return o.sale, nil }

// The start is moved to now: an instance that doesn't know yet adds no early place, so that no user gets one before
// those who were earlier, and no position is given twice.
func TestAStartMovedToNowGivesNoPositionTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 0.1, -time.Hour)
		informed, late := w.instance(t), w.instance(t)
		old := w.saleNow(t)
		late.sales = outdated{w, old}
		early := map[string]*Answer{}
		for i := range 10 {
			early[user(i)] = joins(t, informed, user(i))
		}
		w.start()
		meta := informed.lua.Keys.Meta(old.Lane, "a1")
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "starts_ms", w.saleNow(t).StartsMS).Err())
		given := map[int64]string{}
		for name, place := range early {
			answer, err := informed.Place(t.Context(), name, "", place.Place)
			require.NoError(t, err)
			given[position(t, informed, name, answer)] = name
			for _, s := range []*Service{late, informed} {
				name := "late " + name + fmt.Sprint(s == late)
				at := position(t, s, name, joins(t, s, name))
				assert.Empty(t, given[at], "position %d of %s", at, name)
				assert.GreaterOrEqual(t, at, int64(len(early)), name)
				given[at] = name
			}
		}
		assert.Len(t, given, 3*len(early))
	})
}

func (w *world) saleNow(t *testing.T) Sale {
	t.Helper()
	sale, err := w.Sale(t.Context(), "a1")
	require.NoError(t, err)
	return sale
}

func TestAnEarlyPlaceAsksRedisForItsPositionOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 0.1, -time.Hour)
		s := w.instance(t)
		early := joins(t, s, "ada").Place
		// Redis has the script from here on.
		_, err := s.lua.LinePositions(t.Context(), w.sale.Lane, "a1", []string{"nobody"}, 0)
		require.NoError(t, err)
		sent := w.commands.Load()
		for range 100 {
			answer, err := s.Place(t.Context(), "ada", "", early)
			require.NoError(t, err)
			assert.Equal(t, early, answer.Place)
		}
		assert.Equal(t, sent, w.commands.Load(), "before the start")
		w.start()
		e := new(problem.Error)
		require.ErrorAs(t, s.Admit(w.saleNow(t), "ada", early), &e)
		assert.Positive(t, e.RefreshAfter)
		for range 100 {
			_, err := s.Place(t.Context(), "ada", "", early)
			require.NoError(t, err)
		}
		assert.Equal(t, sent+1, w.commands.Load())
		require.ErrorAs(t, s.Admit(w.saleNow(t), "ada", early), &e)
		assert.Equal(t, CodeLineRequired, e.Code)
		w.clock.Advance(11 * time.Second)
		require.NoError(t, s.Admit(w.saleNow(t), "ada", early), "the first place is of use, too")
		assert.Equal(t, sent+1, w.commands.Load())
	})
}

func TestWhileRedisIsUnavailablePlacesAreJudgedAndNobodyJoins(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 10, -time.Hour)
		s := w.instance(t)
		early := joins(t, s, "ada").Place
		w.start()
		late := joins(t, s, "bob").Place
		stores.RedisAway(t)
		w.clock.Advance(time.Second)
		answer, err := s.Place(t.Context(), "bob", "", late)
		require.NoError(t, err)
		assert.Equal(t, Admitted, answer.Status)
		require.NoError(t, s.Admit(w.saleNow(t), "bob", late))
		_, err = s.Join(t.Context(), "cid", "", "a1")
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		_, err = s.Place(t.Context(), "ada", "", early)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		sent := w.commands.Load()
		_, err = s.Place(t.Context(), "ada", "", early)
		require.ErrorIs(t, err, errAskedBefore)
		assert.Equal(t, sent, w.commands.Load(), "Redis is not asked again at once")
		stores.RedisBack(t)
		require.Eventually(t, func() bool {
			w.clock.Advance(askAgain)
			answer, err = s.Place(context.WithoutCancel(t.Context()), "ada", "", early)
			return err == nil
		}, 20*time.Second, 10*time.Millisecond)
		assert.Equal(t, int64(0), position(t, s, "ada", answer))
	}, kit.Breakable())
}

func TestTheStateOfTheSaleIsToldToThoseWhoWait(t *testing.T) {
	t.Parallel()
	w := newWorld(kit.OnEmbedded(t), 1, time.Minute)
	s := w.instance(t)
	joins(t, s, "ada")
	place := joins(t, s, "bob").Place
	for chances, unlikely := range map[int64]bool{Unknown: false, 0: true, 1: false} {
		w.chances = chances
		answer, err := s.Place(t.Context(), "bob", "", place)
		require.NoError(t, err)
		assert.Equal(t, unlikely, answer.Unlikely, "%d units for one with %d ahead", chances, *answer.Ahead)
	}
	w.refusal = problem.Errorf(problem.Code{Name: "sold_out", Status: 409}, "Sold out.")
	_, err := s.Place(t.Context(), "bob", "", place)
	assert.Equal(t, w.refusal, err)
	_, err = s.Join(t.Context(), "cid", "", "a1")
	assert.Equal(t, w.refusal, err)
}

func BenchmarkPlace(b *testing.B) {
	w := newWorld(kit.OnEmbedded(b), 0.1, time.Minute)
	s := w.instance(b)
	joins(b, s, "ada")
	place := joins(b, s, "bob").Place
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Place(b.Context(), "bob", "", place); err != nil {
			b.Fatal(err)
		}
	}
}

// Who may not buy neither joins the line nor learns of a place there, and costs Redis nothing. Places stay: who may buy
// again has the place that they had.
func TestALineIsForTheSegmentsOfItsSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores, 0.01, 10*time.Second)
		s := w.instance(t)
		joins(t, s, "first")
		had := joins(t, s, "ada")
		require.Equal(t, Waiting, had.Status)
		w.mu.Lock()
		w.sale.Segments = "gold vip"
		w.mu.Unlock()
		sent := w.commands.Load()
		for _, in := range []segments.Set{"", "new silver"} {
			_, err := s.Join(t.Context(), "bob", in, "a1")
			assert.Equal(t, admit.CodeNotInSegment, problem.CodeOf(err))
			_, err = s.Place(t.Context(), "ada", in, had.Place)
			assert.Equal(t, admit.CodeNotInSegment, problem.CodeOf(err))
		}
		assert.Equal(t, sent, w.commands.Load())
		again, err := s.Place(t.Context(), "ada", "vip", had.Place)
		require.NoError(t, err)
		assert.Equal(t, had.Place, again.Place)
		next, err := s.Join(t.Context(), "bob", "gold", "a1")
		require.NoError(t, err)
		assert.Equal(t, position(t, s, "ada", had)+1, position(t, s, "bob", next), "nobody else took a place")
	})
}
