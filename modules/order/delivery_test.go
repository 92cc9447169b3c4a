package order

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/problem"
)

// shop is the catalogue with what hangs on it.
type shop struct {
	catalogue *Catalogue
	addresses *Addresses
	deliverer *Deliverer
}

func newShop(s *kit.Stores) shop {
	now := kit.NewClock(listNow).Now
	sh := shop{catalogue: NewCatalogue(s.DB, now), addresses: NewAddresses(s.DB, kit.IDs(1), now)}
	sh.deliverer = NewDeliverer(sh.catalogue, sh.addresses)
	return sh
}

func (sh shop) address(t *testing.T, user, region string) Address {
	t.Helper()
	a, err := sh.addresses.Create(t.Context(), user, Address{Receiver: "Li", Phone: "1", Region: region, Detail: "Road 1"})
	require.NoError(t, err)
	return a
}

func TestDeliveryFollowsKindAndRegion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := newShop(s)
		putPoints(t, sh.catalogue,
			Point{ID: "p1", Regions: []string{"east"}, FreightExtra: 5},
			Point{ID: "p2", Regions: []string{"west"}, Pickup: true},
			Point{ID: "p3", Pickup: true})
		east, west, moon := sh.address(t, "u", "east"), sh.address(t, "u", "west"), sh.address(t, "u", "moon")
		other := sh.address(t, "somebody else", "east")
		not := func(points ...string) func(string) bool {
			return func(id string) bool {
				for _, p := range points {
					if p == id {
						return false
					}
				}
				return true
			}
		}
		all := not()
		for name, tc := range map[string]struct {
			kind   Kind
			want   Want
			serves func(string) bool
			dest   Destination
			code   problem.Code
		}{
			"express by default": {
				Physical,
				Want{AddressID: east.AddressID},
				all,
				Destination{Delivery: Express, Point: "p1", Address: &east, FreightExtra: 5},
				problem.Code{},
			},
			"express":                {Physical, Want{Delivery: Express, AddressID: west.AddressID}, nil, Destination{Delivery: Express, Point: "p2", Address: &west}, problem.Code{}},
			"no point of the region": {Physical, Want{AddressID: moon.AddressID}, all, Destination{Delivery: Express, Point: "0", Address: &moon}, problem.Code{}},
			"its point lacks them":   {Physical, Want{AddressID: east.AddressID}, not("p1"), Destination{Delivery: Express, Point: "0", Address: &east}, problem.Code{}},
			"nobody has them there":  {Physical, Want{AddressID: east.AddressID}, not("p1", "0"), Destination{}, problem.CodeInvalidRequest},
			"no address":             {Physical, Want{}, all, Destination{}, CodeAddressRequired},
			"unknown address":        {Physical, Want{AddressID: "nope"}, all, Destination{}, problem.CodeNotFound},
			"malformed address":      {Physical, Want{AddressID: "'"}, all, Destination{}, problem.CodeNotFound},
			"somebody else's":        {Physical, Want{AddressID: other.AddressID}, all, Destination{}, problem.CodeNotFound},
			"pickup":                 {Physical, Want{Delivery: Pickup, PickupPoint: "p3"}, all, Destination{Delivery: Pickup, Point: "p3", PickupPoint: "p3"}, problem.Code{}},
			"pickup nowhere":         {Physical, Want{Delivery: Pickup}, all, Destination{}, problem.CodeInvalidRequest},
			"pickup at no such":      {Physical, Want{Delivery: Pickup, PickupPoint: "p9"}, all, Destination{}, problem.CodeInvalidRequest},
			"pickup where it isn't":  {Physical, Want{Delivery: Pickup, PickupPoint: "p1"}, all, Destination{}, problem.CodeInvalidRequest},
			"pickup of other goods":  {Physical, Want{Delivery: Pickup, PickupPoint: "p2"}, not("p2"), Destination{}, problem.CodeInvalidRequest},
			"a point but no pickup":  {Physical, Want{AddressID: east.AddressID, PickupPoint: "p2"}, all, Destination{}, problem.CodeInvalidRequest},
			"none for physical":      {Physical, Want{Delivery: None}, all, Destination{}, problem.CodeInvalidRequest},
			"virtual":                {Virtual, Want{}, all, Destination{Delivery: None, Point: "0"}, problem.Code{}},
			"voucher, none":          {Voucher, Want{Delivery: None}, all, Destination{Delivery: None, Point: "0"}, problem.Code{}},
			"virtual by express":     {Virtual, Want{Delivery: Express, AddressID: east.AddressID}, all, Destination{}, problem.CodeInvalidRequest},
			"voucher by pickup":      {Voucher, Want{Delivery: Pickup, PickupPoint: "p2"}, all, Destination{}, problem.CodeInvalidRequest},
			"nonsense":               {Physical, Want{Delivery: "drone"}, all, Destination{}, problem.CodeInvalidRequest},
		} {
			dest, err := sh.deliverer.Resolve(t.Context(), "u", tc.kind, tc.want, tc.serves)
			assert.Equal(t, tc.code, problem.CodeOf(err), name)
			assert.Equal(t, tc.dest, dest, name)
		}
	})
}

func TestFreightIsTheHighestFeeThatIsDueAndThePointsExtra(t *testing.T) {
	t.Parallel()
	always, over100 := FreightRule{Fee: 10}, FreightRule{Fee: 30, FreeOver: 100}
	express := Destination{Delivery: Express, FreightExtra: 5}
	for name, tc := range map[string]struct {
		goods int64
		fees  []FreightRule
		dest  Destination
		want  int64
	}{
		"highest":           {99, []FreightRule{always, over100}, express, 35},
		"one goes free":     {100, []FreightRule{always, over100}, express, 15},
		"all free":          {100, []FreightRule{over100}, express, 5},
		"no extra":          {1, []FreightRule{always}, Destination{Delivery: Express}, 10},
		"pickup":            {1, []FreightRule{always}, Destination{Delivery: Pickup}, 0},
		"not delivered":     {1, []FreightRule{always}, Destination{Delivery: None}, 0},
		"nothing, no rules": {0, nil, express, 5},
	} {
		assert.Equal(t, tc.want, Freight(tc.goods, tc.fees, tc.dest), name)
	}
}

func TestAmountThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	for _, fits := range [][3]int64{{0, 5, 0}, {7, 3, 21}, {MaxAmount, 1, MaxAmount}, {MaxAmount / 2, 2, MaxAmount - 1}} {
		amount, err := Amount(fits[0], fits[1])
		require.NoError(t, err)
		assert.Equal(t, fits[2], amount)
	}
	for _, wrong := range [][2]int64{{MaxAmount + 1, 1}, {MaxAmount/2 + 1, 2}, {math.MaxInt64, 2}, {-1, 1}, {1, -1}} {
		_, err := Amount(wrong[0], wrong[1])
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%v", wrong)
	}
}
