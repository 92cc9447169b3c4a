package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// spellings are of one region, as people and other programs write it.
var spellings = []string{
	"shanghai", "Shanghai", "SHANGHAI", " shanghai ", "\u3000Shanghai\u00a0", "ｓｈａｎｇｈａｉ", "Ｓhanghai", "shang\u00adhai",
	"shanghai\u200b",
}

// Another spelling of a region would be sent from another point, at another freight.
func TestARegionIsTheSameInAnySpelling(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutPoints(t, sh.Catalogue,
			catalogue.Point{ID: "p1", Regions: []string{" Shanghai", "São  Paulo", "Straße"}, FreightExtra: 5},
			catalogue.Point{ID: "p2", Regions: []string{"Guangdong"}})
		sent := func(region string) catalogue.Destination {
			t.Helper()
			address := sh.Address(t, "user of "+region, region)
			dest, err := sh.Destinations.Resolve(t.Context(), "user of "+region, catalogue.Physical,
				catalogue.Want{AddressID: address.AddressID}, nil)
			require.NoError(t, err)
			return dest
		}
		for _, spelling := range spellings {
			dest := sent(spelling)
			assert.Equal(t, "p1", dest.Point, "%q", spelling)
			assert.EqualValues(t, 5, dest.FreightExtra, "%q", spelling)
			assert.Equal(t, "Shanghai", dest.Address.Region, "the spelling of the point, not %q", spelling)
		}
		const typed, name = "\u3000Ｓhanghai  Pudong\u00a0", "Shanghai Pudong"
		address := sh.Address(t, "ann", typed)
		assert.Equal(t, name, address.Region)
		address.Region = typed
		address, err := sh.Addresses.Update(t.Context(), "ann", address)
		require.NoError(t, err)
		assert.Equal(t, name, address.Region)
		for _, spelling := range []string{"sa\u0303o paulo", "SÃO PAULO", "STRASSE", "strasse"} {
			assert.Equal(t, "p1", sent(spelling).Point, "%q", spelling)
		}
		assert.Equal(t, "p2", sent("guangdong").Point)
		assert.Equal(t, "0", sent("saopaulo").Point, "another one")
		list, err := sh.Catalogue.RegionsAfter(t.Context(), catalogue.After{Size: 10})
		require.NoError(t, err)
		assert.Equal(t, []string{"Guangdong", "Shanghai", "Straße", "São Paulo"}, list.Items)
	})
}

// Points and addresses that were stored before regions had a normal form compare in it as well.
func TestRegionsThatWereStoredBeforeCompareInTheNormalForm(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO stock_points (point_id, name, regions, freight_extra,
			pickup, updated_ms) VALUES ('p1', 'East', '[" Shanghai","shanghai","ＢＥＩＪＩＮＧ"]', 0, 0, 1)`)
		require.NoError(t, err)
		_, err = s.DB.Write.ExecContext(t.Context(), `INSERT INTO addresses (address_id, user_id, receiver, phone,
			region,
			detail, is_default, created_ms) VALUES ('a-1', 'ann', 'Li', '1', ' beijing', 'Road 1', 1, 1)`)
		require.NoError(t, err)
		point, err := sh.Catalogue.StoredPoint(t.Context(), "p1")
		require.NoError(t, err)
		assert.Equal(t, []string{"Shanghai", "BEIJING"}, point.Regions)
		want := catalogue.Want{AddressID: "a-1"}
		dest, err := sh.Destinations.Resolve(t.Context(), "ann", catalogue.Physical, want, nil)
		require.NoError(t, err)
		assert.Equal(t, "p1", dest.Point)
		assert.Equal(t, "BEIJING", dest.Address.Region)
	})
}

// Of several points that claim a region the one with the lowest id wins, and operators are told which regions these
// are.
func TestRegionsThatSeveralPointsClaimAreListedWithTheWinnerFirst(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutPoints(t, sh.Catalogue,
			catalogue.Point{ID: "p2", Regions: []string{"SHANGHAI", "Jiangsu", "Fujian"}},
			catalogue.Point{ID: "p1", Regions: []string{"Shanghai"}},
			catalogue.Point{ID: "p3", Regions: []string{"fujian"}})
		shared, err := sh.Catalogue.ClaimsAfter(t.Context(), true, catalogue.After{Size: 10})
		require.NoError(t, err)
		assert.Equal(t, []catalogue.Claim{
			{Region: "Fujian", Points: []string{"p2", "p3"}}, {Region: "Shanghai", Points: []string{"p1", "p2"}},
		}, shared.Items)
		first, err := sh.Catalogue.ClaimsAfter(t.Context(), true, catalogue.After{Size: 1})
		require.NoError(t, err)
		assert.Equal(t, "Fujian", first.NextCursor)
		rest, err := sh.Catalogue.ClaimsAfter(t.Context(), true, catalogue.After{Text: "Fujian", Size: 1})
		require.NoError(t, err)
		assert.Equal(t, shared.Items[1:], rest.Items)
		assert.Empty(t, rest.NextCursor)
		all, err := sh.Catalogue.ClaimsAfter(t.Context(), false, catalogue.After{Size: 10})
		require.NoError(t, err)
		assert.Len(t, all.Items, 3)
		wins, found, err := sh.Catalogue.PointFor(t.Context(), "shanghai", nil)
		require.NoError(t, err)
		assert.True(t, found)
		assert.Equal(t, "p1", wins.ID)
		_, err = sh.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: "p4", Name: "x", Regions: []string{"a", "A "}})
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "one point twice")
		_, err = sh.Catalogue.PutPoints(t.Context(),
			[]catalogue.Point{{ID: "p4", Name: "x", Regions: []string{" a", "b "}}})
		require.NoError(t, err)
		stored, err := sh.Catalogue.StoredPoint(t.Context(), "p4")
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, stored.Regions)
	})
}
