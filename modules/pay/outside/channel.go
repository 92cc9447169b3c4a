package outside

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"onrush/modules/pay"
)

// Channel is the name of the channel. Buyers can't choose it.
const Channel = "outside"

// operator is the provider of the money of orders that operators mark as paid.
const operator = "operator"

// errUnused says that a method is not used: nobody begins a payment here, and no gateway notifies.
var errUnused = errors.New("the channel " + Channel + " has no gateway")

// With returns gateways and this channel.
func With(gateways pay.Gateways) pay.Gateways {
	all := maps.Clone(gateways)
	all[Channel] = channel{}
	return all
}

// channel is the pay.Gateway of money that others report: nothing can be asked.
type channel struct{}

var _ pay.Gateway = channel{}

func (channel) Channel() string { return Channel }

func (channel) Begin(context.Context, *pay.Payment) (pay.Next, error) { return pay.Next{}, errUnused }

func (channel) Verify(http.Header, []byte) (pay.Notification, error) {
	return pay.Notification{}, errUnused
}

// Query finds no money: what came was reported, and is in SQL.
func (channel) Query(context.Context, *pay.Payment) (pay.Found, error) { return pay.Found{}, nil }

// Close has nothing to close: money that is still reported is refunded if the order no longer waits for it.
func (channel) Close(context.Context, *pay.Payment) error { return nil }

// Refund is under way until Service.Report ends it.
func (channel) Refund(context.Context, *pay.Refund) error {
	return fmt.Errorf("%w: nobody has reported yet that the money was paid back", pay.ErrUnderWay)
}

func (channel) Acknowledge() (contentType string, body []byte) { return "", nil }
