package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/order/receiver"
	"onrush/modules/sqldb"
)

// findReceiver returns the orders whose receiver has the phone number q, or one that ends with q, or the name q, or one
// that begins with q; at most limit.
func (s *Service) findReceiver(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	column, exact, begin := soughtReceiver(q)
	if begin == "" {
		return nil, nil
	}
	var numbers []order.Number
	for _, by := range []sqldb.Where{among(column, exact), beginning(column, begin)} {
		if len(numbers) >= limit {
			break
		}
		query, args := received(column, by, api.ShopOf(ctx), limit-len(numbers))
		var some []order.Number
		if err := s.db.Read.SelectContext(ctx, &some, query, args...); err != nil {
			return nil, unsearched("receiver", err)
		}
		slices.SortFunc(some, func(a, b order.Number) int { return cmp.Compare(b, a) })
		numbers = append(numbers, some...)
	}
	// The records decide: an older version that erases a buyer leaves the columns as they are.
	orders, err := order.SelectAll(ctx, s.db.Read, numbers)
	if err != nil && !errors.Is(err, order.ErrBadRecord) {
		return nil, unsearched("receiver", err)
	}
	var hits []api.Hit
	for _, n := range numbers {
		i := slices.IndexFunc(orders, func(o *order.Order) bool { return o.Number == n })
		if i >= 0 && meets(orders[i], column, exact, begin) {
			address, id := orders[i].Address, n.String()
			hits = append(hits, api.Hit{
				Kind: "order", ID: id, Link: ordersRoute + "/" + id, Receiver: address.Receiver, Phone: address.Phone,
				Status: string(orders[i].Status),
			})
		}
	}
	return hits, nil
}

// maxCountryCode is how many digits a country code has at most.
const maxCountryCode = 4

// soughtReceiver says which column has what q may be, and which values: some exactly, and those that begin with begin.
// A phone number may be stored without the country code that q has.
func soughtReceiver(q string) (column string, exact []string, begin string) {
	if !receiver.IsPhone(q) {
		if name := receiver.Name(q); len([]rune(name)) >= receiver.FewestLetters {
			return "receiver_name", []string{name}, name
		}
		return "", nil, ""
	}
	phone := receiver.Phone(q)
	for n := len(phone); n >= max(len(phone)-maxCountryCode, receiver.FewestDigits); n-- {
		exact = append(exact, phone[:n])
	}
	return "receiver_phone", exact, phone
}

func among(column string, values []string) (w sqldb.Where) {
	w.And(column+` IN (`+sqldb.In(len(values))+`)`, sqldb.Args(values)...)
	return w
}

// last is a character that sorts behind all characters of names and phone numbers.
const last = "\U0010FFFF"

func beginning(column, text string) (w sqldb.Where) {
	w.And(column+` > ? AND `+column+` < ?`, text, text+last)
	return w
}

// maxRead is how many orders of all shops are read at most, in each table, for a search in one shop: so a name that
// only other shops have costs no more than others, and the time doesn't tell how many orders have it.
const maxRead = 2000

// received returns the statement that selects the numbers of orders by a column of their receiver, in the order of its
// index: in the order of the numbers alone, an optimizer might read all orders instead. The newest order is the first
// of those with the same value. With a shop, it selects the newest of the shop among the first maxRead: the index
// doesn't have the shop.
func received(column string, where sqldb.Where, shop string, limit int) (query string, args []any) {
	rest := where.String() + ` ORDER BY ` + column + ` DESC, number DESC LIMIT ?`
	live, archived := `SELECT number FROM orders`+rest, `SELECT number FROM orders_archive`+rest
	args = where.Args(limit)
	if shop != "" {
		live, archived = firstInShop(live, "orders"), firstInShop(archived, "orders_archive")
		args = where.Args(maxRead, shop, limit)
	}
	return `SELECT number FROM (` + live + `) AS live
		UNION ALL SELECT number FROM (` + archived + `) AS archived LIMIT ?`,
		slices.Concat(args, args, []any{limit})
}

// firstInShop confines a SELECT of numbers of a table to a shop. The subquery is one that no optimizer makes a join of,
// which might begin with all orders of the shop.
func firstInShop(numbers, table string) string {
	return `SELECT number FROM (` + numbers + `) AS sought
		WHERE (SELECT o.shop_id FROM ` + table + ` AS o WHERE o.number = sought.number) = ?
		ORDER BY number DESC LIMIT ?`
}

// meets reports whether the receiver of an order is sought.
func meets(o *order.Order, column string, exact []string, begin string) bool {
	value, name := receiver.Of(o.Address)
	if column == "receiver_name" {
		value = name
	}
	return slices.Contains(exact, value) || strings.HasPrefix(value, begin)
}
