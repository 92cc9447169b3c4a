package onrush

import (
	"context"
	"errors"

	"onrush/modules/seckill/gates/admit"
)

// Admission is a buyer who asks for a path.
type Admission struct {
	Activity string // the id of the sale
	SKU      string
	User     string
	Address  string // of the client, as an IP address
}

// NotAdmitted is the error of Admit that refuses a buyer a path. The buyer may ask again.
type NotAdmitted struct {
	// Reason is what the buyer is told, in plain text of up to 200 characters. Default: that the buyer may not buy in
	// this sale.
	Reason string
}

// Error returns the reason.
func (e *NotAdmitted) Error() string { return "onrush: not admitted: " + e.Reason }

// admit returns Admit as the server takes it; nil if there is none.
func (c *Config) admit() admit.Asker {
	if c.Admit == nil {
		return nil
	}
	return func(ctx context.Context, a admit.Admission) error {
		err := c.Admit(ctx, Admission(a))
		if refused, ok := errors.AsType[*NotAdmitted](err); ok {
			return &admit.Refused{Reason: refused.Reason}
		}
		return err
	}
}
