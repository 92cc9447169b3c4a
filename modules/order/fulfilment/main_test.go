package fulfilment

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

var (
	home   = catalogue.Address{AddressID: "home", Receiver: "Ada", Phone: "1", Region: "north", Detail: "1 Square"}
	office = catalogue.Address{AddressID: "office", Receiver: "Ada", Phone: "1", Region: "north", Detail: "2 Square"}
	abroad = catalogue.Address{AddressID: "abroad", Receiver: "Ada", Phone: "1", Region: "south", Detail: "3 Square"}
)

// stored is an Ensurer over orders of which Redis has none.
type stored struct{ db *sqldb.DB }

func (s stored) EnsureNumber(ctx context.Context, n order.Number) error {
	_, err := order.Select(ctx, s.db.Read, n)
	if errors.Is(err, sql.ErrNoRows) {
		err = problem.NotFound("order")
	}
	return err
}

func (s stored) EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error) {
	return order.SelectOf(ctx, s.db.Read, user, n)
}

// served resolves addresses: the point of a region has its name.
type served struct {
	db      *sqldb.DB
	forgets int
	stale   bool // until ForgetPoints
}

func (s *served) Resolve(
	ctx context.Context, _ string, _ catalogue.Kind, want catalogue.Want, _ func(string) bool,
) (catalogue.Destination, error) {
	for _, a := range []catalogue.Address{home, office, abroad} {
		if a.AddressID != want.AddressID {
			continue
		}
		var version int64
		err := s.db.Read.GetContext(ctx, &version, `SELECT version FROM stock_points_head WHERE id = 1`)
		if s.stale {
			version--
		}
		return catalogue.Destination{
			Delivery: catalogue.Express, Point: a.Region, Address: &a, PointsVersion: version,
		}, err
	}
	return catalogue.Destination{}, problem.NotFound("address")
}

func (s *served) ForgetPoints() { s.forgets, s.stale = s.forgets+1, false }

// scene is a table of orders with who changes them.
type scene struct {
	db        *sqldb.DB
	marker    *Marker
	addresses *Addresses
	served    *served
}

// at is when everything happens.
var at = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

func open(s *kit.Stores) *scene {
	now := func() time.Time { return at }
	served := &served{db: s.DB}
	return &scene{
		db: s.DB, served: served, marker: NewMarker(MarkerDeps{DB: s.DB, Ensure: stored{s.DB}, Now: now}),
		addresses: NewAddresses(AddressesDeps{
			DB: s.DB, Ensure: stored{s.DB}, Destinations: served, Points: served, Now: now,
		}),
	}
}

// places stores an order of ada's, which goes home.
func (s *scene) places(t testing.TB, n order.Number, status order.Status, change func(*order.Order)) {
	t.Helper()
	to := home
	o := &order.Order{
		Number: n, User: "ada", Task: n.String(), Status: status, PaidMS: at.UnixMilli(),
		Content: order.Content{
			Type: order.Ordinary, Kind: catalogue.Physical, Shop: "shop", Point: "north", Currency: "EUR",
			Delivery: catalogue.Express, Address: &to, Items: []order.Item{{SKU: "lamp", Quantity: 1, Title: "Lamp"}},
		},
	}
	if change != nil {
		change(o)
	}
	require.NoError(t, s.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(t.Context(), tx, []*order.Order{o}, nil)
	}))
}

// by is an operator.
var by = order.LogLine{Actor: "operator:grace", ClientIP: "10.0.0.1"}

// log returns what happened to an order.
func (s *scene) log(t testing.TB, n order.Number) (what []string) {
	t.Helper()
	lines, err := order.SelectLog(t.Context(), s.db.Read, []order.Number{n})
	require.NoError(t, err)
	for _, l := range lines[n] {
		what = append(what, l.Action)
	}
	return what
}

// events returns the types of the events of an order.
func (s *scene) events(t testing.TB, n order.Number) (types []string) {
	t.Helper()
	require.NoError(t, s.db.Read.SelectContext(t.Context(), &types,
		`SELECT type FROM events WHERE subject = ? AND type <> 'order.placed' ORDER BY id`, n.String()))
	return types
}

// forgets erases a buyer from an order.
func (s *scene) forgets(t testing.TB, user string, n order.Number) {
	t.Helper()
	require.NoError(t, s.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return order.Forget(t.Context(), tx, user, "erased-1", []order.Number{n})
	}))
}
