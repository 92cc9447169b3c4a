package counts

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	LockBusy    = reached.At("pay: money waits, since the lock of its order is taken")
	Awaited     = reached.At("pay: money waits, since an order of its payment is not found")
	PaidUnheard = reached.At("pay: a gateway that is asked has money that it has not told of")
	PaidAtClose = reached.At("pay: a payment is paid while it is closed")
	BeginFailed = reached.At("pay: a gateway doesn't answer when a payment begins")
)

// outcomes are the paths of money, by what became of it.
var outcomes = map[string]*reached.Path{
	"known":           reached.At("pay: a notification comes again"),
	"repeated":        reached.At("pay: money comes again with another notification"),
	"partly_paid":     reached.At("pay: money pays a part of its orders"),
	"unknown_payment": reached.At("pay: money comes for an unknown payment"),
}

// answers are the paths of refunds, by the answer of the gateway.
var answers = map[Answer]*reached.Path{
	UnderWay:    reached.At("pay: a refund is under way at its gateway"),
	Unavailable: reached.At("pay: a refund waits for its gateway or the balance"),
	Refused:     reached.At("pay: a gateway refuses a refund"),
}

// reasons are the paths of money that goes back, by the reason.
var reasons = map[string]*reached.Path{
	"order_not_unpaid": reached.At("pay: money goes back, since its order is cancelled or paid"),
	"paid_already":     reached.At("pay: money goes back, since its payment was paid before"),
	"wrong_amount":     reached.At("pay: money of a wrong amount goes back"),
	"wrong_currency":   reached.At("pay: money of a wrong currency goes back"),
	"order_not_found":  reached.At("pay: money goes back, since its order is not found"),
}

// GoesBack marks that money goes back for a reason of package pay.
func GoesBack(reason string) {
	if path := reasons[reason]; path != nil {
		path.Mark()
	}
}
