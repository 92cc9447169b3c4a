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
)

type refundCommand struct {
	remote
	outputFlag
	Order    string   `arg:"" help:"Number of the order. Without --item and --voucher: the rest of it."`
	Items    []string `name:"item" sep:"none" help:"Units to refund, SKU or SKU=QUANTITY; may be repeated."`
	Vouchers []string `name:"voucher" sep:"none" help:"Code of a voucher to refund; may be repeated."`
	Reason   string   `help:"Why, for the other operators."`
	Force    bool     `help:"Refund also units whose vouchers were redeemed."`
	Key      string   `help:"Idempotency-Key: repeat a refund whose answer was lost with the key that it printed."`
	Yes      bool     `short:"y" help:"Don't ask; required with -o json."`
}

// refundedItem is an item of an order, or the part of it that is refunded.
type refundedItem struct {
	SKU      string   `json:"sku_id"`
	Quantity int64    `json:"quantity"`
	Vouchers []string `json:"voucher_codes,omitempty"`
}

// Run refunds an order or a part of it.
func (c *refundCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	client, path := c.client(), "/admin/api/v1/orders/"+url.PathEscape(c.Order)
	var order struct {
		Items []refundedItem `json:"items"`
	}
	if err := client.Get(ctx, path, &order); err != nil {
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
	body := map[string]any{"reason": c.Reason, "force": c.Force}
	if len(items) > 0 {
		body["items"] = items
	}
	if err := client.Call(ctx, http.MethodPost, path+"/refund", c.Key, body, &refund); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, refund)
	}
	var made struct {
		Number string `json:"refund_number"`
	}
	if err := json.Unmarshal(refund, &made); err != nil {
		return fmt.Errorf("read the refund: %w", err)
	}
	_, err = fmt.Fprintf(out, "Refund %s is sent.\n", made.Number)
	return err
}

// chosen returns the units to refund; none means the rest of the order.
func (c *refundCommand) chosen(order []refundedItem) (items []refundedItem, err error) {
	for _, text := range c.Items {
		sku, number, counted := strings.Cut(text, "=")
		quantity := int64(1)
		if counted {
			if quantity, err = strconv.ParseInt(number, 10, 64); err != nil || quantity < 1 {
				return nil, fmt.Errorf("--item=%s: the quantity must be 1 or more", text)
			}
		}
		items = append(items, refundedItem{SKU: sku, Quantity: quantity})
	}
	for _, code := range c.Vouchers {
		of := slices.IndexFunc(order, func(it refundedItem) bool { return slices.Contains(it.Vouchers, code) })
		if of < 0 {
			return nil, fmt.Errorf("--voucher=%s: the order has no such voucher that can be redeemed", code)
		}
		at := slices.IndexFunc(items, func(it refundedItem) bool { return it.SKU == order[of].SKU })
		switch {
		case at < 0:
			items = append(items, refundedItem{SKU: order[of].SKU, Quantity: 1, Vouchers: []string{code}})
		case len(items[at].Vouchers) == 0:
			return nil, errors.New("a sku is named by --item and by --voucher")
		default:
			items[at].Quantity++
			items[at].Vouchers = append(items[at].Vouchers, code)
		}
	}
	return items, nil
}

// inWords names units for a person.
func inWords(items []refundedItem) string {
	if len(items) == 0 {
		return "the rest"
	}
	words := make([]string, len(items))
	for i, it := range items {
		words[i] = fmt.Sprintf("%d of %s", it.Quantity, it.SKU)
		if len(it.Vouchers) > 0 {
			words[i] += " (" + strings.Join(it.Vouchers, ", ") + ")"
		}
	}
	return strings.Join(words, ", ")
}
