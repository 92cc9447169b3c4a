package main

import (
	"context"
	"io"
	"net/url"
	"time"
)

type paymentsCommand struct {
	listing
	Payment string    `arg:"" optional:"" help:"Number of the payment to show. Without it: a list."`
	Flagged bool      `help:"Only payments that an operator should check."`
	Status  string    `help:"pending, paid, refunding, refunded or closed."`
	Channel string    `help:"Payment channel."`
	Order   string    `help:"Number of an order."`
	User    string    `help:"User id."`
	From    time.Time `help:"Only payments created at this time or later."`
	To      time.Time `help:"Only payments created before this time."`
}

// Run prints one payment or a list, newest first.
func (c *paymentsCommand) Run(ctx context.Context, out io.Writer) error {
	const path = "/admin/api/v1/payments"
	if c.Payment != "" {
		return printOne(ctx, c.client(), out, path+"/"+url.PathEscape(number(c.Payment)))
	}
	flagged := ""
	if c.Flagged {
		flagged = "true"
	}
	query := filter("flagged", flagged, "status", c.Status, "channel", c.Channel, "order_number", number(c.Order),
		"user_id", c.User, "from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, path, query,
		"PAYMENT=pay_number, STATUS=status, FLAG=flag, CREATED=created_at, AMOUNT=amount$, CURRENCY=currency, "+
			"CHANNEL=channel, TRANSACTION=transaction_id, USER=user_id, ORDERS=order_numbers")
}
