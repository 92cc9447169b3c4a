package holds_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

// world is a sale in which operators set units aside.
type world struct {
	*stage.Stage
	holds *holds.Service

	submits *seckill.Service
	before  func() // what comes just before the submit of an order of a hold; nil: nothing
}

func open(t *testing.T, stores *kit.Stores, sale stage.Sale) *world {
	t.Helper()
	sale.Kind = catalogue.Virtual
	w := &world{Stage: stage.Open(t, stores, sale)}
	w.submits = w.Submits(t)
	w.holds = w.service(nil)
	return w
}

// service returns the service of an instance.
func (w *world) service(faults order.Faults) *holds.Service {
	return holds.NewService(holds.Deps{
		DB: w.Stores.DB, Lua: w.Scripts, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		Activities: w.Activities, Submits: w, NewID: kit.IDs(uint64(time.Now().UnixNano())), Faults: faults,
	})
}

// SubmitHeld is as of seckill.Service.
func (w *world) SubmitHeld(
	ctx context.Context, by seckill.SubmitBy, of seckill.Held, body *seckill.Submit,
) (*seckill.Submitted, error) {
	if w.before != nil {
		w.before()
	}
	return w.submits.SubmitHeld(ctx, by, of, body)
}

// HeldOrder is as of seckill.Service.
func (w *world) HeldOrder(ctx context.Context, activity, user, key string) (order.Number, error) {
	return w.submits.HeldOrder(ctx, activity, user, key)
}

func (w *world) make(t testing.TB, quantity int64, user string) (holds.View, error) {
	t.Helper()
	v, err := w.holds.Make(context.WithoutCancel(t.Context()), "olga", w.Activity, holds.Wanted{
		SKU: stage.SKU, Point: "0", Quantity: quantity, User: user, Note: "stand",
	})
	w.Know(t)
	return v, err
}

func (w *world) makes(t testing.TB, quantity int64, user string) holds.View {
	t.Helper()
	v, err := w.make(t, quantity, user)
	require.NoError(t, err)
	return v
}

// buys places an order and returns its code.
func (w *world) buys(t testing.TB, user string, quantity int64) lua.PlaceCode {
	t.Helper()
	results, err := w.TryPlace(context.WithoutCancel(t.Context()), w.Order(user, "0", quantity))
	require.NoError(t, err)
	return results[0].Code
}

// serve runs the Offerer of an instance.
func (w *world) serve(t testing.TB) {
	t.Helper()
	_, err := w.Offerer.RunOnce(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
}

// list is what operators see.
func (w *world) list(t testing.TB) []holds.View {
	t.Helper()
	views, total, err := w.holds.List(context.WithoutCancel(t.Context()), w.Activity, api.Page{Page: 1, Size: 100})
	require.NoError(t, err)
	require.Len(t, views, int(total))
	return views
}

// namedUsers are the buyers of the holds.
func (w *world) namedUsers(t testing.TB) (users []string) {
	t.Helper()
	for _, v := range w.list(t) {
		if v.User != "" {
			users = append(users, v.User)
		}
	}
	slices.Sort(users)
	return users
}

// requireAgreed requires that Redis and SQL have the same holds, and that the account balances.
func (w *world) requireAgreed(t testing.TB) {
	t.Helper()
	var rows []waitlist.Entry
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &rows,
		`SELECT * FROM waitlist WHERE activity_id = ?`, w.Activity))
	inSQL, inRedis := map[string]lua.Offer{}, map[string]lua.Offer{}
	for i := range rows {
		inSQL[rows[i].ID] = rows[i].Offer()
	}
	epoch, err := strconv.ParseInt(w.Hash(t, w.Stores.Keys.Meta)["epoch"], 10, 64)
	require.NoError(t, err)
	for _, o := range lua.ParseWaitlist(w.Hash(t, w.Stores.Keys.Waitlist), epoch).Offers {
		inRedis[o.Entry] = o
	}
	require.Equal(t, inSQL, inRedis, "SQL, then Redis")
	w.Balanced(t)
}

// events are the users of the events waitlist.offered.
func (w *world) events(t testing.TB) (users []string) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &users,
		`SELECT user_id FROM events WHERE type = 'waitlist.offered' ORDER BY user_id`))
	return users
}

// change changes rows of SQL.
func (w *world) change(t testing.TB, statement string, args ...any) {
	t.Helper()
	_, err := w.Stores.DB.Write.ExecContext(context.WithoutCancel(t.Context()), statement, args...)
	require.NoError(t, err)
}

func codeOf(err error) string { return problem.CodeOf(err).Name }
