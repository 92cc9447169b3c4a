package site

import (
	"net/http"
	"testing"
	"time"

	"onrush/web/client"
)

const operators = "/admin/api/v1"

// PutSKU adds a sku to the catalogue, or replaces it.
func (p *Person) PutSKU(t testing.TB, sku string, body client.SKURequest) client.SKU {
	t.Helper()
	return Read[client.SKU](t, http.StatusOK, p.Call(t, http.MethodPut, operators+"/skus/"+sku, "", body))
}

// PutPoint adds a stock point, or replaces it.
func (p *Person) PutPoint(t testing.TB, point string, body client.PointRequest) client.Point {
	t.Helper()
	return Read[client.Point](t, http.StatusOK, p.Call(t, http.MethodPut, operators+"/points/"+point, "", body))
}

// CreateActivity drafts a sale.
func (p *Person) CreateActivity(t testing.TB, body client.ActivityRequest) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusCreated,
		p.Call(t, http.MethodPost, operators+"/activities", "", body))
}

// GetAdminActivity reads a sale as operators see it.
func (p *Person) GetAdminActivity(t testing.TB, activity string) client.AdminActivity {
	t.Helper()
	return get[client.AdminActivity](t, p, operators+"/activities/"+activity)
}

// PublishActivity publishes a draft.
func (p *Person) PublishActivity(t testing.TB, activity string) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusOK,
		p.Call(t, http.MethodPost, operators+"/activities/"+activity+"/publish", "", nil))
}

// TakeActivityOffline ends a published sale.
func (p *Person) TakeActivityOffline(t testing.TB, activity string) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusOK,
		p.Call(t, http.MethodPost, operators+"/activities/"+activity+"/offline", "", nil))
}

// PauseActivity stops a published sale from taking orders.
func (p *Person) PauseActivity(t testing.TB, activity string) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusOK,
		p.Call(t, http.MethodPost, operators+"/activities/"+activity+"/pause", "", nil))
}

// ResumeActivity ends a pause.
func (p *Person) ResumeActivity(t testing.TB, activity string) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusOK,
		p.Call(t, http.MethodPost, operators+"/activities/"+activity+"/resume", "", nil))
}

// ChangeActivity changes a published sale.
func (p *Person) ChangeActivity(t testing.TB, activity string, body client.ActivityChange) client.AdminActivity {
	t.Helper()
	return Read[client.AdminActivity](t, http.StatusOK,
		p.Call(t, http.MethodPatch, operators+"/activities/"+activity, "", body))
}

// GetStats reads the figures of a sale.
func (p *Person) GetStats(t testing.TB, activity string) client.Stats {
	t.Helper()
	return get[client.Stats](t, p, operators+"/activities/"+activity+"/stats")
}

// GetReport reads what a sale has sold.
func (p *Person) GetReport(t testing.TB, activity string) client.Report {
	t.Helper()
	return get[client.Report](t, p, operators+"/activities/"+activity+"/report")
}

// AuditActivity compares the stock of a sale in both stores.
func (p *Person) AuditActivity(t testing.TB, activity string) client.Audit {
	t.Helper()
	return get[client.Audit](t, p, operators+"/activities/"+activity+"/audit")
}

// GetAdminOrder reads an order as operators see it.
func (p *Person) GetAdminOrder(t testing.TB, number string) client.AdminOrder {
	t.Helper()
	return get[client.AdminOrder](t, p, operators+"/orders/"+number)
}

// ListAdminOrders reads a page of all orders.
func (p *Person) ListAdminOrders(t testing.TB, query string) client.AdminOrderList {
	t.Helper()
	return get[client.AdminOrderList](t, p, operators+"/orders?"+query)
}

// RefundOrder pays an order back, or a part of it.
func (p *Person) RefundOrder(t testing.TB, number, key string, body client.RefundRequest) client.Refund {
	t.Helper()
	return Read[client.Refund](t, http.StatusAccepted,
		p.Call(t, http.MethodPost, operators+"/orders/"+number+"/refund", key, body))
}

// ListAdminPayments reads a page of all payments.
func (p *Person) ListAdminPayments(t testing.TB, query string) []client.AdminPayment {
	t.Helper()
	return get[client.AdminPaymentList](t, p, operators+"/payments?"+query).Items
}

// GetRevenue sums what was paid since a time.
func (p *Person) GetRevenue(t testing.TB, from time.Time) []client.Revenue {
	t.Helper()
	return get[client.RevenueList](t, p, operators+"/revenue?from="+from.UTC().Format("2006-01-02T15:04:05.000Z")).Items
}

// ListRefunds reads a page of all refunds.
func (p *Person) ListRefunds(t testing.TB, query string) []client.Refund {
	t.Helper()
	return get[client.RefundList](t, p, operators+"/refunds?"+query).Items
}

// ListChanges reads what operators did to a thing, newest first.
func (p *Person) ListChanges(t testing.TB, on string) []client.Change {
	t.Helper()
	return get[client.ChangeList](t, p, operators+"/changes?on="+on).Items
}

// ListDead reads the dead entries of all queues.
func (p *Person) ListDead(t testing.TB) []client.Dead {
	t.Helper()
	return get[client.DeadList](t, p, operators+"/queue/dead").Items
}

// ListEvents reads all events of the feed that a query selects, page by page.
func (p *Person) ListEvents(t testing.TB, query string) (found []client.PlatformEvent) {
	t.Helper()
	for after, more := "0", true; more; {
		page := get[client.PlatformEventList](t, p, operators+"/events?page_size=5&after="+after+"&"+query)
		found, after, more = append(found, page.Items...), page.NextCursor, page.More
	}
	return found
}

// GetQueue reads the queues of all lanes.
func (p *Person) GetQueue(t testing.TB) []client.LaneQueue {
	t.Helper()
	return get[client.GetQueue200JSONResponseBody](t, p, operators+"/queue").Items
}
