package waitlist_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/inventory"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

// world is a sale with a waiting list.
type world struct {
	*stage.Stage
	list    *waitlist.Service
	holds   *holds.Service
	changes int
}

func open(t *testing.T, stores *kit.Stores, sale stage.Sale) *world {
	t.Helper()
	sale.OfferWithinS = 60
	w := &world{Stage: stage.Open(t, stores, sale)}
	var calls atomic.Int64
	now := func() time.Time { // no two buyers join at the same time
		return time.Now().Add(time.Duration(calls.Add(1)) * time.Millisecond)
	}
	w.list = waitlist.NewService(waitlist.Deps{
		DB: stores.DB, Lua: w.Scripts, Clock: clock.Fixed(now), Log: slog.New(slog.DiscardHandler), Wishes: w,
		NewID: kit.IDs(uint64(time.Now().UnixNano())),
	})
	w.holds = holds.NewService(holds.Deps{
		DB: stores.DB, Lua: w.Scripts, Clock: clock.Fixed(now), Log: slog.New(slog.DiscardHandler),
		Activities: w.Activities, Submits: w.Submits(t), NewID: kit.IDs(uint64(time.Now().UnixNano())),
	})
	return w
}

// Wish takes the pickup point of a choice as the stock point, and checks nothing.
func (w *world) Wish(
	ctx context.Context, _ seckill.Wisher, activity, _ string, c seckill.Choice,
) (*seckill.Wish, error) {
	a, err := seckill.ViewActivity(ctx, w.Stores.DB, activity)
	if err != nil {
		return nil, err
	}
	return &seckill.Wish{Activity: a, SKU: &a.SKUs[0], Point: c.PickupPoint}, nil
}

// join lets a user wait for units at a point.
func (w *world) join(t testing.TB, user, point string, quantity int64) (waitlist.View, error) {
	t.Helper()
	return w.list.Join(context.WithoutCancel(t.Context()), seckill.Wisher{User: user}, w.Activity, stage.SKU,
		seckill.Choice{Quantity: quantity, PickupPoint: point})
}

func (w *world) joins(t testing.TB, user string, quantity int64) waitlist.View {
	t.Helper()
	v, err := w.join(t, user, "0", quantity)
	require.NoError(t, err)
	return v
}

// serve runs the Offerer of an instance.
func (w *world) serve(t testing.TB) {
	t.Helper()
	_, err := w.Offerer.RunOnce(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
}

// states are the states of the entries of a user: what is offered, and until when it isn't, the place.
func (w *world) state(t testing.TB, user string) string {
	t.Helper()
	views, err := w.list.Mine(context.WithoutCancel(t.Context()), user, w.Activity)
	require.NoError(t, err)
	if len(views) == 0 {
		return ""
	}
	require.Len(t, views, 1)
	return string(views[0].State)
}

// buys places an order and returns its code.
func (w *world) buys(t testing.TB, user, point string, quantity int64) (*order.Order, lua.PlaceCode) {
	t.Helper()
	o := w.Order(user, point, quantity)
	results, err := w.TryPlace(context.WithoutCancel(t.Context()), o)
	require.NoError(t, err)
	return o, results[0].Code
}

// cancel cancels an order, whose units come back.
func (w *world) cancel(t testing.TB, o *order.Order) {
	t.Helper()
	require.NoError(t, w.Canceller.Cancel(context.WithoutCancel(t.Context()), o.User, o.Number, ""))
	w.settle(t)
}

func (w *world) settle(t testing.TB) {
	t.Helper()
	_, err := w.Outbox.RunOnce(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
}

// raise adds units to the sale.
func (w *world) raise(t testing.TB, point string, units int64) {
	t.Helper()
	w.changes++
	_, err := w.Changer.Change(context.WithoutCancel(t.Context()), inventory.StockChange{
		ID: inventory.ChangeID(w.Activity, "operator", "raise"+strconv.Itoa(w.changes)), Activity: w.Activity,
		SKU: stage.SKU, Point: point, Delta: units,
	})
	require.NoError(t, err)
}

// redisList is the list that Redis has.
func (w *world) redisList(t testing.TB) *lua.Waitlist {
	t.Helper()
	fields := w.Hash(t, w.Stores.Keys.Waitlist)
	epoch, err := strconv.ParseInt(w.Hash(t, w.Stores.Keys.Meta)["epoch"], 10, 64)
	require.NoError(t, err)
	list := lua.ParseWaitlist(fields, epoch)
	return list
}

// lapse puts the end of an offer into the past.
func (w *world) lapse(t testing.TB, user string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	list := w.redisList(t)
	i := slices.IndexFunc(list.Offers, func(o lua.Offer) bool { return o.User == user })
	require.GreaterOrEqual(t, i, 0, "nothing is offered to %s", user)
	o := list.Offers[i]
	o.UntilMS = time.Now().Add(-time.Minute).UnixMilli()
	require.NoError(t, w.Stores.Redis.HSet(ctx, w.Stores.Keys.Waitlist(w.Lane, w.Activity),
		lua.OfferField(o.SKU, o.User), o.String()).Err())
	require.NoError(t, w.Stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE waitlist SET until_ms = ? WHERE entry_id = ?`, o.UntilMS, o.Entry)
		return err
	}))
}

// rows are the entries in SQL, in the order of the list.
func (w *world) rows(t testing.TB) (rows []waitlist.Entry) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &rows,
		`SELECT * FROM waitlist WHERE activity_id = ? ORDER BY joined_ms, entry_id`, w.Activity))
	return rows
}

// events are the users of the events waitlist.offered, in no order.
func (w *world) events(t testing.TB) (users []string) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &users,
		`SELECT user_id FROM events WHERE type = 'waitlist.offered' ORDER BY user_id`))
	return users
}

// requireEqual requires that Redis and SQL have the same offers, and that the account balances.
func (w *world) requireAgreed(t testing.TB) {
	t.Helper()
	inSQL, inRedis := map[string]lua.Offer{}, map[string]lua.Offer{}
	for _, e := range w.rows(t) {
		if e.UntilMS > 0 {
			inSQL[e.ID] = lua.Offer{
				SKU: e.SKU, Point: e.Point, User: e.User, Quantity: e.Quantity, UntilMS: e.UntilMS, Entry: e.ID,
			}
		}
	}
	for _, o := range w.redisList(t).Offers {
		inRedis[o.Entry] = o
	}
	require.Equal(t, inSQL, inRedis, "SQL, then Redis")
	w.Balanced(t)
}

func codeOf(err error) string { return problem.CodeOf(err).Name }

func name(i int) string { return fmt.Sprintf("user%02d", i) }

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}
