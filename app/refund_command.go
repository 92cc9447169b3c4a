package main

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onrush/app/operator"
	"onrush/web/client"
)

type refundCommand struct {
	calling
	Order    string   `arg:"" help:"Number of the order. Without --item and --voucher: the rest of it."`
	Items    []string `name:"item" sep:"none" help:"Units to refund, SKU or SKU=QUANTITY; may be repeated."`
	Vouchers []string `name:"voucher" sep:"none" help:"Code of a voucher to refund; may be repeated."`
	Reason   string   `help:"Why, for the other operators."`
	Force    bool     `help:"Refund also units whose vouchers were redeemed."`
	Key      string   `help:"Idempotency-Key: repeat a refund whose answer was lost with the key that it printed."`
	Yes      bool     `short:"y" help:"Don't ask; required with -o json."`
}

// Run refunds an order or a part of it.
func (c *refundCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	c.Order = number(c.Order)
	path := "/admin/api/v1/orders/" + url.PathEscape(c.Order)
	var order client.AdminOrder
	if err := c.client().Get(ctx, path, &order); err != nil {
		return err
	}
	items, err := c.chosen(order.Items)
	if err != nil {
		return err
	}
	if c.Key == "" {
		c.Key = crand.Text()
	}
	if !c.Yes && c.json() {
		return errNotConfirmed
	}
	if !c.Yes {
		_, _ = fmt.Fprintf(out, "Of order %s, %s will be refunded, with the key %s.\n", c.Order, inWords(items), c.Key)
		if !confirmed(in, out) {
			return errNotConfirmed
		}
	}
	var refund json.RawMessage
	body := client.RefundRequest{Reason: c.Reason, Force: c.Force, Items: items}
	if err := c.client().Call(ctx, http.MethodPost, path+"/refund", c.Key, body, &refund); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, refund)
	}
	var made client.Refund
	if err := json.Unmarshal(refund, &made); err != nil {
		return fmt.Errorf("read the refund: %w", err)
	}
	_, err = fmt.Fprintf(out, "Refund %s is sent.\n", made.RefundNumber)
	return err
}

// chosen returns the units to refund; none means the rest of the order.
func (c *refundCommand) chosen(order []client.Item) (items []client.RefundItem, err error) {
	for _, text := range c.Items {
		sku, number, counted := strings.Cut(text, "=")
		quantity := int64(1)
		if counted {
			if quantity, err = strconv.ParseInt(number, 10, 64); err != nil || quantity < 1 {
				return nil, fmt.Errorf("--item=%s: the quantity must be 1 or more", text)
			}
		}
		items = append(items, client.RefundItem{SKUID: sku, Quantity: quantity})
	}
	for _, code := range c.Vouchers {
		of := slices.IndexFunc(order, func(it client.Item) bool { return slices.Contains(it.VoucherCodes, code) })
		if of < 0 {
			return nil, fmt.Errorf("--voucher=%s: the order has no such voucher that can be redeemed", code)
		}
		at := slices.IndexFunc(items, func(it client.RefundItem) bool { return it.SKUID == order[of].SKUID })
		switch {
		case at < 0:
			items = append(items, client.RefundItem{SKUID: order[of].SKUID, Quantity: 1, VoucherCodes: []string{code}})
		case len(items[at].VoucherCodes) == 0:
			return nil, errors.New("a sku is named by --item and by --voucher")
		default:
			items[at].Quantity++
			items[at].VoucherCodes = append(items[at].VoucherCodes, code)
		}
	}
	return items, nil
}

// inWords names units for a person.
func inWords(items []client.RefundItem) string {
	if len(items) == 0 {
		return "the rest"
	}
	words := make([]string, len(items))
	for i, it := range items {
		words[i] = fmt.Sprintf("%d of %s", it.Quantity, it.SKUID)
		if len(it.VoucherCodes) > 0 {
			words[i] += " (" + strings.Join(it.VoucherCodes, ", ") + ")"
		}
	}
	return strings.Join(words, ", ")
}
