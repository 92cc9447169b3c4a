package remind_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/remind"
	"onrush/test/kit"
	"onrush/test/stage"
)

// known is what the model knows of a reminder.
type known struct {
	token  string
	toldMS int64 // which start was told; of units, 1
}

// scene is a world of random steps, and a model of its reminders.
type scene struct {
	*world
	rand   *rand.Rand
	model  map[string]*known // by user, kind and sku
	told   []string          // whom, of what, with which token
	sold   []*order.Order
	starts time.Time // as moved last
}

// Whatever buyers and operators do, and wherever instances die, each reminder is told when the rules say so, once, with
// its last token.
func TestRandomStepsTellWhatTheModelTells(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		w := open(t, stores, 1, -20*time.Minute)
		s := &scene{world: w, rand: rand.New(rand.NewPCG(seed, 1)), model: map[string]*known{}, starts: w.starts}
		steps := []func(*testing.T){
			s.ask, s.ask, s.ask, s.ask, s.forget, s.pass, s.move, s.trade, s.trade, s.run, s.run, s.run,
		}
		for range 300 {
			steps[s.rand.IntN(len(steps))](t)
		}
		s.run(t)
		assert.NotEmpty(t, s.told)
		assert.Equal(t, len(s.model), w.rows(t))
	})
}

func key(user string, kind remind.Kind, sku string) string {
	return fmt.Sprint(user, " ", kind, " ", sku)
}

func (s *scene) started() bool { return !s.clock.Now().Before(s.starts) }

// ask asks for a reminder and compares the answer with the rules.
func (s *scene) ask(t *testing.T) {
	t.Helper()
	user, token := name(s.rand.IntN(5)), fmt.Sprint(s.rand.IntN(1000))
	kind, sku := remind.Start, ""
	if s.rand.IntN(2) == 0 {
		kind, sku = remind.Units, []string{"", stage.SKU}[s.rand.IntN(2)]
	}
	s.later(1100 * time.Millisecond) // the copies of the counts are read again
	_, err := s.request(user, kind, sku, token)
	at := key(user, kind, sku)
	had := s.model[at]
	switch {
	case had != nil && (kind == remind.Start || had.toldMS == 0):
		had.token = token
		require.NoError(t, err)
	case kind == remind.Start && s.started():
		require.Equal(t, "already_started", code(err))
	case kind == remind.Units && !s.started():
		require.Equal(t, "not_started", code(err))
	case kind == remind.Units && len(s.sold) == 0:
		require.Equal(t, "not_sold_out", code(err))
	default:
		require.NoError(t, err)
		s.model[at] = &known{token: token}
	}
}

func (s *scene) forget(t *testing.T) {
	t.Helper()
	user := name(s.rand.IntN(5))
	mine, err := s.service.Mine(t.Context(), user, s.Activity)
	require.NoError(t, err)
	if len(mine) == 0 {
		return
	}
	r := mine[s.rand.IntN(len(mine))]
	require.NoError(t, s.service.Forget(t.Context(), user, r.ID))
	delete(s.model, key(user, r.Kind, r.SKU))
}

func (s *scene) pass(*testing.T) { s.later(time.Duration(s.rand.IntN(90)) * time.Second) }

// move moves the start earlier or later.
func (s *scene) move(t *testing.T) {
	t.Helper()
	s.starts = s.clock.Now().Add(time.Duration(s.rand.IntN(720)-60) * time.Second).Truncate(time.Millisecond)
	s.set(t, "starts_ms", s.starts.UnixMilli())
}

// trade sells the only unit, or lets it come back.
func (s *scene) trade(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	if len(s.sold) == 0 {
		s.sold = append(s.sold, s.Place(t, "eve", 1))
		return
	}
	require.NoError(t, s.Canceller.Cancel(ctx, "eve", s.sold[0].Number, ""))
	_, err := s.Outbox.RunOnce(ctx)
	require.NoError(t, err)
	s.sold = nil
}

// run runs the job, of an instance that may die, and then of one that lives.
func (s *scene) run(t *testing.T) {
	t.Helper()
	s.later(remind.Rest) // whoever was told of units before
	before := len(s.users(t))
	at := []string{"", "reminders_read", "reminders_marked", "reminders_told"}[s.rand.IntN(4)]
	_, _ = remind.NewTeller(s.deps(func(step string) error {
		if step == at {
			return seckill.ErrLoaded // any error
		}
		return nil
	})).RunOnce(context.WithoutCancel(t.Context()))
	s.tell(t)
	now, startMS := s.clock.Now(), s.starts.UnixMilli()
	var want []string
	for at, k := range s.model {
		of := at[len(name(0))+1:]
		switch {
		case of == "start ":
			if !now.Before(s.starts.Add(-remind.Before)) && k.toldMS < startMS-remind.Before.Milliseconds() {
				k.toldMS = startMS
				want = append(want, at+" "+k.token)
			}
		case s.started() && len(s.sold) == 0 && k.toldMS == 0:
			k.toldMS = 1
			want = append(want, at+" "+k.token)
		}
	}
	var got []string
	for _, d := range s.world.told(t) {
		for _, u := range d.Users {
			got = append(got, key(u.User, d.Kind, d.SKU)+" "+u.Token)
		}
	}
	got = got[before:]
	require.ElementsMatch(t, want, got)
	s.told = append(s.told, got...)
}
