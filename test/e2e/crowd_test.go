package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// crowdRegion is one third of the crowd: they all want the stock of one point.
type crowdRegion struct {
	point  string
	stock  int64
	buyers int
}

// crowdRegions returns regions with 50n buyers of 10n units.
func crowdRegions(n int) []crowdRegion {
	return []crowdRegion{
		{point: "north", stock: int64(5 * n), buyers: 20 * n},
		{point: "south", stock: int64(3 * n), buyers: 17 * n},
		{point: "west", stock: int64(2 * n), buyers: 13 * n},
	}
}

// crowdBuyer is one buyer with its submit.
type crowdBuyer struct {
	*site.Person

	region string
	path   string
	body   client.SubmitRequest
}

// Buyers in the north send a confirmation, those in the south an address, those in the west pick up the
// goods. Movers and jobs of both instances run at the same time.
func TestEachRegionSellsExactlyItsStockToACrowd(t *testing.T) {
	t.Parallel()
	n := 20
	if testing.Short() {
		n = 10 // the race detector makes buyers slow, and finds the same with fewer
	}
	sellToRegions(t, crowdRegions(n))
}

func sellToRegions(t *testing.T, all []crowdRegion) {
	t.Helper()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		stock, regions := map[string]int64{}, map[string][]string{}
		units := 0
		for _, r := range all {
			stock[r.point], regions[r.point] = r.stock, []string{"region-" + r.point}
			units += int(r.stock)
		}
		activity := instances[0].Open(t, site.Sale{Kind: catalogue.Physical, Stock: stock, Regions: regions})
		crowd := preparePaths(t, instances, activity, all)
		require.Len(t, crowd, 5*units)

		answers := kit.AtOnce(len(crowd), func(i int) site.Answer {
			b := crowd[i]
			return b.InsistOn(b.path, "once", b.body)
		})

		accepted, refused := map[string]string{}, map[string]int{}
		for i, a := range answers {
			if a.Status == http.StatusAccepted {
				accepted[a.Placed(t).OrderNumber] = crowd[i].Name
				continue
			}
			refused[a.Code()]++
			if code := a.Code(); code != "sold_out" && code != "sold_out_unpaid_pending" {
				assert.Failf(t, "the answer is neither placed nor sold out", "%d %s", a.Status, a.Body)
			}
		}
		assert.Len(t, accepted, units, "refused: %v", refused)

		instances[0].Drain(t)
		assert.Equal(t, accepted, ownersInSQL(t, stores, activity),
			"exactly the buyers whose orders were accepted have one")
		for _, r := range all {
			assert.Equal(t, r.stock, soldAt(t, stores, activity, r.point), "units sold at %s", r.point)
			assert.Equal(t, r.stock, ordersAt(t, stores, activity, r.point), "orders at %s", r.point)
		}
		assert.Equal(t, map[string]string{"sku": "0", "sku~north": "0", "sku~south": "0", "sku~west": "0"},
			site.Stock(t, stores, activity))
		assert.Empty(t, instances[1].Audit(t, activity))
	})
}

// preparePaths gets a path and a submit body for every buyer.
func preparePaths(t *testing.T, instances []*site.Site, activity string, all []crowdRegion) []*crowdBuyer {
	t.Helper()
	var crowd []*crowdBuyer
	for _, r := range all {
		for i := range r.buyers {
			name := fmt.Sprintf("%s-%d", r.point, i)
			crowd = append(crowd, &crowdBuyer{Person: instances[i%len(instances)].Buyer(t, name), region: r.point})
		}
	}
	addAddresses(t, instances[0].Stores, crowd)
	for i, err := range kit.AtOnce(len(crowd), func(i int) error { return crowd[i].prepare(activity) }) {
		require.NoError(t, err, crowd[i].Name)
	}
	return crowd
}

// addAddresses adds an address in the region of each buyer with a few statements: adding them one by one
// would take longer than the sale.
func addAddresses(t *testing.T, stores *kit.Stores, crowd []*crowdBuyer) {
	t.Helper()
	const columns, chunk = "(?, ?, 'Somebody', '13800000000', ?, '1 Main Street', 0, 0)", 500
	for from := 0; from < len(crowd); from += chunk {
		part := crowd[from:min(from+chunk, len(crowd))]
		args := make([]any, 0, 3*len(part))
		for _, b := range part {
			args = append(args, "home-"+b.Name, b.Name, "region-"+b.region)
		}
		insert := `INSERT INTO addresses (address_id, user_id, receiver, phone, region, detail, is_default, created_ms)
			VALUES ` +
			strings.TrimSuffix(strings.Repeat(columns+", ", len(part)), ", ")
		_, err := stores.DB.Write.ExecContext(t.Context(), insert, args...)
		require.NoError(t, err)
	}
}

// prepare takes a path, and a confirmation in the north.
func (b *crowdBuyer) prepare(activity string) error {
	a := b.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		client.PathRequest{ActivityID: activity, SKUID: "sku"})
	b.path = pathOf(a)
	home := "home-" + b.Name
	switch b.region {
	case "north":
		a = b.Insist(http.MethodPost, "/api/v1/seckill/"+b.path+"/confirm", "", client.ConfirmRequest{AddressID: home})
		b.body.Confirmation = parsed[client.Confirmation](a).Confirmation
	case "west":
		b.body.Delivery, b.body.PickupPointID = "pickup", "west"
	default:
		b.body.AddressID = home
	}
	if a.Status != http.StatusOK {
		return fmt.Errorf("answered %d: %s", a.Status, a.Body)
	}
	return nil
}

func ownersInSQL(t *testing.T, stores *kit.Stores, activity string) map[string]string {
	t.Helper()
	var rows []struct {
		Number order.Number `db:"number"`
		User   string       `db:"user_id"`
	}
	const query = `SELECT number, user_id FROM orders WHERE activity_id = ? AND status = 'unpaid'`
	require.NoError(t, stores.DB.Write.SelectContext(t.Context(), &rows, query, activity))
	owners := make(map[string]string, len(rows))
	for _, r := range rows {
		owners[r.Number.String()] = r.User
	}
	return owners
}

func soldAt(t *testing.T, stores *kit.Stores, activity, point string) (n int64) {
	t.Helper()
	const query = `SELECT sold FROM activity_stock WHERE activity_id = ? AND point_id = ?`
	require.NoError(t, stores.DB.Write.GetContext(t.Context(), &n, query, activity, point))
	return n
}

func ordersAt(t *testing.T, stores *kit.Stores, activity, point string) (n int64) {
	t.Helper()
	const query = `SELECT COUNT(*) FROM orders WHERE activity_id = ? AND point_id = ? AND status = 'unpaid'`
	require.NoError(t, stores.DB.Write.GetContext(t.Context(), &n, query, activity, point))
	return n
}

// pathOf returns the path of an answer, or "".
func pathOf(a site.Answer) string { return parsed[client.Path](a).Path }

// parsed returns the body of an answer, which is empty if the call failed. Any goroutine may call it.
func parsed[T any](a site.Answer) (body T) {
	_ = json.Unmarshal(a.Body, &body)
	return body
}
