package queue

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
)

// verdict is the result of storing one order.
type verdict struct {
	lua.Verdict
	reason string
	detail string       // for operators: the error of the store
	first  order.Number // of a repeat: the order that has its task
	of     lua.Repeat   // of a repeat: the state of that order
	bought lua.Bought   // of an order over a limit: the buyer's counts in SQL
}

// knownOrders are orders that SQL has, by number.
type knownOrders map[order.Number]order.Stored

func selectKnown(ctx context.Context, q sqlx.QueryerContext, orders []*order.Order) (knownOrders, error) {
	numbers := make([]order.Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	return order.SelectStored(ctx, q, numbers)
}

// verdict returns the verdict on an order by its row from before this batch. An order without a row is
// being stored by this batch.
func (k knownOrders) verdict(o *order.Order) verdict {
	sqlHas, ok := k[o.Number]
	switch {
	case ok && !sqlHas.IsOf(o):
		return verdict{Verdict: numberTaken}
	case ok && sqlHas.Status == order.Failed:
		return verdict{Verdict: failedVerdict(sqlHas.Reason), reason: sqlHas.Reason}
	}
	return verdict{Verdict: lua.VerdictStored}
}

// failedVerdict returns the verdict on an order that SQL has as failed for this reason.
func failedVerdict(reason string) lua.Verdict {
	if reason == order.ReasonOverLimit {
		return lua.VerdictOverLimit
	}
	return lua.VerdictFailed
}
