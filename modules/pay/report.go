package pay

import "context"

// report carries out a notification that reports no money that came in.
func (s *Settler) report(ctx context.Context, channel string, n Notification) error {
	s.log.WarnContext(ctx, "gateway reported on a payment", "channel", channel, "kind", n.Kind, "transaction_id", n.TransactionID, "reason", n.Reason)
	return nil
}
