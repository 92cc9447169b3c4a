package attribution

import (
	"context"
	"strconv"
)

// csvHeader has the names of the columns, in the order of appendRows.
var csvHeader = []string{
	"part", "name", "orders", "currency", "paid_orders", "paid_amount", "refunded_amount", "net_amount",
}

// rows returns a function that returns the rows of the totals, the days and the values, once.
func (t *totals) rows() func(context.Context) ([][]string, error) {
	rows := appendRows(nil, "total", "", &t.Total)
	for i := range t.Days {
		rows = appendRows(rows, "day", t.Days[i].Day, &t.Days[i].Sums)
	}
	for i := range t.Items {
		rows = appendRows(rows, t.By, t.Items[i].Value, &t.Items[i].Sums)
	}
	if t.Others.Orders > 0 {
		rows = appendRows(rows, "others", "", &t.Others)
	}
	return func(context.Context) ([][]string, error) {
		all := rows
		rows = nil
		return all, nil
	}
}

// appendRows appends a row of sums for each currency. The first has the orders, so that the column can be added up.
func appendRows(rows [][]string, part, name string, s *Sums) [][]string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	if len(s.Amounts) == 0 {
		return append(rows, []string{part, name, number(s.Orders), "", "0", "0", "0", "0"})
	}
	for i, a := range s.Amounts {
		orders := ""
		if i == 0 {
			orders = number(s.Orders)
		}
		rows = append(rows, []string{
			part, name, orders, a.Currency, number(a.PaidOrders), number(a.Paid), number(a.Refunded), number(a.Net),
		})
	}
	return rows
}
