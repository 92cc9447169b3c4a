package catalogue_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// deliveryCase is what a buyer wants, and the destination or the code of the error.
type deliveryCase struct {
	kind   catalogue.Kind
	want   catalogue.Want
	serves func(string) bool
	dest   catalogue.Destination
	code   problem.Code
}

// notAt is of goods that all points but these have.
func notAt(points ...string) func(string) bool {
	return func(id string) bool { return !slices.Contains(points, id) }
}

func expressCases(east, west, moon, other *catalogue.Address) map[string]deliveryCase {
	all := notAt()
	return map[string]deliveryCase{
		"express by default": {
			catalogue.Physical,
			catalogue.Want{AddressID: east.AddressID},
			all,
			catalogue.Destination{Delivery: catalogue.Express, Point: "p1", Address: east, FreightExtra: 5},
			problem.Code{},
		},
		"express": {catalogue.Physical, catalogue.Want{
			Delivery: catalogue.Express, AddressID: west.AddressID,
		}, nil, catalogue.Destination{Delivery: catalogue.Express, Point: "p2", Address: west}, problem.Code{}},
		"no point of the region": {
			catalogue.Physical,
			catalogue.Want{AddressID: moon.AddressID},
			all,
			catalogue.Destination{Delivery: catalogue.Express, Point: "0", Address: moon},
			problem.Code{},
		},
		"its point lacks them": {catalogue.Physical, catalogue.Want{AddressID: east.AddressID}, notAt(
			"p1"), catalogue.Destination{Delivery: catalogue.Express, Point: "0", Address: east}, problem.Code{}},
		"nobody has them there": {catalogue.Physical, catalogue.Want{AddressID: east.AddressID}, notAt("p1",
			"0"), catalogue.Destination{}, catalogue.CodeRegionNotServed},
		"no address": {
			catalogue.Physical, catalogue.Want{}, all, catalogue.Destination{}, catalogue.CodeAddressRequired,
		},
		"unknown address": {
			catalogue.Physical,
			catalogue.Want{AddressID: "nope"},
			all,
			catalogue.Destination{},
			problem.CodeNotFound,
		},
		"malformed address": {
			catalogue.Physical, catalogue.Want{AddressID: "'"}, all, catalogue.Destination{}, problem.CodeNotFound,
		},
		"somebody else's": {
			catalogue.Physical,
			catalogue.Want{AddressID: other.AddressID},
			all,
			catalogue.Destination{},
			problem.CodeNotFound,
		},
	}
}

func pickupCases(east *catalogue.Address) map[string]deliveryCase {
	all := notAt()
	return map[string]deliveryCase{
		"pickup": {catalogue.Physical, catalogue.Want{
			Delivery: catalogue.Pickup, PickupPoint: "p3",
		}, all, catalogue.Destination{Delivery: catalogue.Pickup, Point: "p3", PickupPoint: "p3"}, problem.Code{}},
		"pickup nowhere": {
			catalogue.Physical,
			catalogue.Want{Delivery: catalogue.Pickup},
			all,
			catalogue.Destination{},
			problem.CodeInvalidRequest,
		},
		"pickup at no such": {catalogue.Physical, catalogue.Want{
			Delivery: catalogue.Pickup, PickupPoint: "p9",
		}, all, catalogue.Destination{}, problem.CodeInvalidRequest},
		"pickup where it isn't": {catalogue.Physical, catalogue.Want{
			Delivery: catalogue.Pickup, PickupPoint: "p1",
		}, all, catalogue.Destination{}, problem.CodeInvalidRequest},
		"pickup of other goods": {catalogue.Physical, catalogue.Want{
			Delivery: catalogue.Pickup, PickupPoint: "p2",
		}, notAt("p2"), catalogue.Destination{}, problem.CodeInvalidRequest},
		"a point but no pickup": {
			catalogue.Physical,
			catalogue.Want{AddressID: east.AddressID, PickupPoint: "p2"},
			all,
			catalogue.Destination{},
			problem.CodeInvalidRequest,
		},
	}
}

func undeliveredCases(east *catalogue.Address) map[string]deliveryCase {
	all := notAt()
	return map[string]deliveryCase{
		"none for physical": {
			catalogue.Physical,
			catalogue.Want{Delivery: catalogue.None},
			all,
			catalogue.Destination{},
			problem.CodeInvalidRequest,
		},
		"virtual": {
			catalogue.Virtual,
			catalogue.Want{},
			all,
			catalogue.Destination{Delivery: catalogue.None, Point: "0"},
			problem.Code{},
		},
		"voucher, none": {
			catalogue.Voucher,
			catalogue.Want{Delivery: catalogue.None},
			all,
			catalogue.Destination{Delivery: catalogue.None, Point: "0"},
			problem.Code{},
		},
		"virtual by express": {catalogue.Virtual, catalogue.Want{
			Delivery: catalogue.Express, AddressID: east.AddressID,
		}, all, catalogue.Destination{}, problem.CodeInvalidRequest},
		"voucher by pickup": {catalogue.Voucher, catalogue.Want{
			Delivery: catalogue.Pickup, PickupPoint: "p2",
		}, all, catalogue.Destination{}, problem.CodeInvalidRequest},
		"nonsense": {
			catalogue.Physical,
			catalogue.Want{Delivery: "drone"},
			all,
			catalogue.Destination{},
			problem.CodeInvalidRequest,
		},
	}
}

func TestDeliveryFollowsKindAndRegion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutPoints(t, sh.Catalogue,
			catalogue.Point{ID: "p1", Regions: []string{"east"}, FreightExtra: 5},
			catalogue.Point{ID: "p2", Regions: []string{"west"}, Pickup: true},
			catalogue.Point{ID: "p3", Pickup: true})
		east, west, moon := sh.Address(t, "u", "east"), sh.Address(t, "u", "west"), sh.Address(t, "u", "moon")
		other := sh.Address(t, "somebody else", "east")
		for _, cases := range []map[string]deliveryCase{
			expressCases(&east, &west, &moon, &other), pickupCases(&east), undeliveredCases(&east),
		} {
			for name, tc := range cases {
				dest, err := sh.Destinations.Resolve(t.Context(), "u", tc.kind, tc.want, tc.serves)
				assert.Equal(t, tc.code, problem.CodeOf(err), name)
				byPoints := dest.Delivery == catalogue.Express || dest.Delivery == catalogue.Pickup
				assert.Equal(t, byPoints, dest.PointsVersion > 0, name)
				dest.PointsVersion = 0
				assert.Equal(t, tc.dest, dest, name)
			}
		}
	})
}

func TestFreightIsTheHighestFeeThatIsDueAndThePointsExtra(t *testing.T) {
	t.Parallel()
	always, over100 := catalogue.FreightRule{Fee: 10}, catalogue.FreightRule{Fee: 30, FreeOver: 100}
	express := catalogue.Destination{Delivery: catalogue.Express, FreightExtra: 5}
	for name, tc := range map[string]struct {
		goods int64
		fees  []catalogue.FreightRule
		dest  catalogue.Destination
		want  int64
	}{
		"highest":       {99, []catalogue.FreightRule{always, over100}, express, 35},
		"one goes free": {100, []catalogue.FreightRule{always, over100}, express, 15},
		"all free":      {100, []catalogue.FreightRule{over100}, express, 5},
		"no extra": {
			1, []catalogue.FreightRule{always}, catalogue.Destination{Delivery: catalogue.Express}, 10,
		},
		"pickup":            {1, []catalogue.FreightRule{always}, catalogue.Destination{Delivery: catalogue.Pickup}, 0},
		"not delivered":     {1, []catalogue.FreightRule{always}, catalogue.Destination{Delivery: catalogue.None}, 0},
		"nothing, no rules": {0, nil, express, 5},
	} {
		assert.Equal(t, tc.want, catalogue.Freight(tc.goods, tc.fees, tc.dest), name)
	}
}

func TestAmountThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	for _, fits := range [][3]int64{{0, 5, 0}, {7, 3, 21}, {catalogue.MaxAmount, 1, catalogue.MaxAmount}, {
		catalogue.MaxAmount / 2, 2, catalogue.MaxAmount - 1,
	}} {
		amount, err := catalogue.Amount(fits[0], fits[1])
		require.NoError(t, err)
		assert.Equal(t, fits[2], amount)
	}
	for _, wrong := range [][2]int64{
		{catalogue.MaxAmount + 1, 1}, {catalogue.MaxAmount/2 + 1, 2}, {math.MaxInt64, 2}, {-1, 1}, {1, -1},
	} {
		_, err := catalogue.Amount(wrong[0], wrong[1])
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%v", wrong)
	}
}
