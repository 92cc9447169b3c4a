package report

import (
	"context"
	"strconv"
)

// csvHeader has the names of the columns. Each row is one item of a part of the report; cells that the part doesn't
// have are empty.
var csvHeader = []string{
	"part", "name", "title", "currency", "offered_units", "orders", "paid_orders", "refunded_orders", "unpaid_orders",
	"cancelled_orders", "failed_orders", "paid_units", "unpaid_units", "cancelled_units", "paid_amount",
	"unpaid_amount", "cancelled_amount", "refunded_amount", "net_amount", "path_requests", "submit_requests",
}

// rows returns a function that returns the rows of the report, once.
func (r *Report) rows() func(context.Context) ([][]string, error) {
	all := r.allRows()
	return func(context.Context) ([][]string, error) {
		rows := all
		all = nil
		return rows, nil
	}
}

func (r *Report) allRows() [][]string {
	rows := [][]string{r.sums("total", "", r.Title, number(r.OfferedUnits), &r.Totals)}
	for i := range r.SKUs {
		rows = append(rows, r.part("sku", r.SKUs[i].ID, r.SKUs[i].Title, &r.SKUs[i].Part))
	}
	for i := range r.Points {
		rows = append(rows, r.part("point", r.Points[i].ID, "", &r.Points[i].Part))
	}
	for i := range r.Times.Items {
		span := &r.Times.Items[i]
		rows = append(rows, r.sums("time", span.At.String(), "", "", &span.Sums))
	}
	for _, sources := range []struct {
		part string
		of   Sources
	}{{"room", r.Rooms}, {"share_source", r.ShareSources}} {
		for _, source := range sources.of.Items {
			rows = append(rows, cells(sources.part, source.Name, source.Orders))
		}
		rows = append(rows, cells(sources.part+"_others", "", sources.of.Others),
			cells(sources.part+"_none", "", sources.of.Without))
	}
	if peak := r.Traffic.Peak; peak != nil {
		rows = append(rows, cells("peak_second", peak.At.String(), peak.Orders))
	}
	for _, refusal := range r.Traffic.Refusals {
		row := make([]string, len(csvHeader))
		row[0], row[1] = "refusal", refusal.Code
		row[len(row)-2], row[len(row)-1] = number(refusal.Paths), number(refusal.Submits)
		rows = append(rows, row)
	}
	return rows
}

func (r *Report) part(part, name, title string, of *Part) []string {
	return r.sums(part, name, title, number(of.OfferedUnits), &of.Sums)
}

func (r *Report) sums(part, name, title, offered string, s *Sums) []string {
	row := []string{part, name, title, r.Currency, offered}
	for _, n := range []int64{
		s.Orders, s.PaidOrders, s.RefundedOrders, s.UnpaidOrders, s.CancelledOrders, s.FailedOrders, s.PaidUnits,
		s.UnpaidUnits, s.CancelledUnits, s.PaidAmount, s.UnpaidAmount, s.CancelledAmount, s.RefundedAmount, s.NetAmount,
	} {
		row = append(row, number(n))
	}
	return append(row, "", "")
}

// cells returns a row of a part that counts only orders.
func cells(part, name string, orders int64) []string {
	row := make([]string, len(csvHeader))
	row[0], row[1], row[5] = part, name, number(orders)
	return row
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
