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
	"os"
	"time"

	"onrush/app/operator"
)

type goodsCommand struct {
	List   goodsListCommand   `cmd:"" default:"withargs" help:"List the goods of the catalogue."`
	Show   goodsShowCommand   `cmd:"" help:"Print a sku as a file that put reads."`
	Put    goodsPutCommand    `cmd:"" help:"Create or replace the goods of a file: all of them, or none."`
	Stock  goodsStockCommand  `cmd:"" help:"Raise or lower the ordinary stock of a sku, outside of sales."`
	Delete goodsDeleteCommand `cmd:"" help:"Delete a sku that nothing sells."`
}

const goodsPath = "/admin/api/v1/skus"

// confirmFlag answers the question of a command beforehand.
type confirmFlag struct {
	Yes bool `short:"y" help:"Don't ask; required with -o json."`
}

// agreed asks whether to do something, unless --yes was given.
func (f *confirmFlag) agreed(in io.Reader, out io.Writer, asJSON bool, format string, args ...any) error {
	switch {
	case f.Yes:
		return nil
	case asJSON:
		return errNotConfirmed
	}
	_, _ = fmt.Fprintf(out, format+"\n", args...)
	if !confirmed(in, out) {
		return errNotConfirmed
	}
	return nil
}

// opened calls read with a file; - is standard input.
func opened(path string, in io.Reader, read func(io.Reader) error) error {
	err := func() error {
		if path == "-" {
			return read(in)
		}
		f, err := os.Open(path) //nolint:gosec // the operator names the file
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return read(f)
	}()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

type goodsListCommand struct {
	remote
	outputFlag
	Shop     string    `help:"Id of the shop."`
	Activity string    `help:"Only goods of this sale."`
	From     time.Time `help:"Only goods changed at this time or later."`
	To       time.Time `help:"Only goods changed before this time."`
	Limit    int       `help:"How many at most." default:"50"`
}

// Run prints the goods by id, or by their last change if that is bounded.
func (c *goodsListCommand) Run(ctx context.Context, out io.Writer) error {
	query := url.Values{}
	setQuery(query, "shop_id", c.Shop)
	setQuery(query, "activity_id", c.Activity)
	setSpan(query, c.From, c.To)
	return printList(ctx, c.client(), out, list{
		path: goodsPath, query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "SKU", Field: "sku_id"},
			{Heading: "KIND", Field: "kind"},
			{Heading: "SHOP", Field: "shop_id"},
			{Heading: "PRICE", Field: "price", Amount: true},
			{Heading: "CURRENCY", Field: "currency"},
			{Heading: "STOCK", Field: "stock"},
			{Heading: "TITLE", Field: "title"},
		},
	})
}

type goodsShowCommand struct {
	remote
	outputFlag
	SKU string `arg:"" name:"sku" help:"Id of the sku."`
}

// Run prints a sku.
func (c *goodsShowCommand) Run(ctx context.Context, out io.Writer) error {
	return showItem(ctx, c.client(), out, c.json(), goodsPath+"/"+url.PathEscape(c.SKU), "sku_id")
}

// showItem prints what a route shows, as JSON or as the file of a list, the field id first.
func showItem(ctx context.Context, client *operator.Client, out io.Writer, asJSON bool, path, id string) error {
	if asJSON {
		return printOne(ctx, client, out, path)
	}
	var shown map[string]any
	if err := client.Get(ctx, path, &shown); err != nil {
		return err
	}
	return operator.WriteItem(out, shown, id)
}

type goodsPutCommand struct {
	remote
	outputFlag
	File string `short:"f" required:"" help:"YAML or JSON: a sku, or a list of at most 1,000. - is standard input."`
}

// Run stores the goods of a file.
func (c *goodsPutCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return putItems(ctx, c.client(), in, out, c.json(), c.File, goodsPath+":batch", "sku_id")
}

// putItems stores the items of a file and prints them; the field id names an item.
func putItems(
	ctx context.Context, client *operator.Client, in io.Reader, out io.Writer, asJSON bool, file, path, id string,
) error {
	var items []operator.Item
	err := opened(file, in, func(r io.Reader) (err error) {
		items, err = operator.ReadItems(r, id)
		return err
	})
	if err != nil {
		return err
	}
	stored, err := client.PutItems(ctx, path, items)
	if err != nil {
		return err
	}
	if asJSON {
		return operator.WriteJSON(out, stored)
	}
	for _, item := range items {
		if _, err := fmt.Fprintf(out, "%s is stored.\n", item.ID); err != nil {
			return err
		}
	}
	return nil
}

type goodsStockCommand struct {
	remote
	outputFlag
	SKU  string `arg:"" name:"sku" help:"Id of the sku."`
	Add  int64  `xor:"delta" required:"" help:"Units to add."`
	Take int64  `xor:"delta" required:"" help:"Units to take away."`
	Key  string `help:"Idempotency-Key: repeat a change whose answer was lost with the key that it printed."`
}

// Run changes the stock once per key.
func (c *goodsStockCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Add < 0 || c.Take < 0 {
		return errors.New("--add and --take must not be negative")
	}
	if c.Key == "" {
		c.Key = crand.Text()
	}
	var sku json.RawMessage
	err := c.client().Call(ctx, http.MethodPost, goodsPath+"/"+url.PathEscape(c.SKU)+"/stock", c.Key,
		map[string]int64{"delta": c.Add - c.Take}, &sku)
	if err != nil {
		return withKey(err, c.Key)
	}
	if c.json() {
		return operator.WriteJSON(out, sku)
	}
	var now struct {
		Stock int64 `json:"stock"`
	}
	if err := json.Unmarshal(sku, &now); err != nil {
		return fmt.Errorf("read the sku: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s has %d units.\n", c.SKU, now.Stock)
	return err
}

// withKey adds the key of a request to an error after which the request may have been carried out.
func withKey(err error, key string) error {
	if errors.As(err, new(*operator.Refusal)) {
		return err
	}
	return fmt.Errorf("%w\nIf you repeat it, pass --key=%s, so that it is done once", err, key)
}

type goodsDeleteCommand struct {
	remote
	confirmFlag
	SKU string `arg:"" name:"sku" help:"Id of the sku."`
}

// Run deletes a sku.
func (c *goodsDeleteCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return deleteItem(ctx, c.client(), in, out, &c.confirmFlag, goodsPath, c.SKU)
}

// deleteItem deletes what a path and an id name, after a question.
func deleteItem(
	ctx context.Context, client *operator.Client, in io.Reader, out io.Writer, ask *confirmFlag, path, id string,
) error {
	if err := ask.agreed(in, out, false, "%s will be deleted.", id); err != nil {
		return err
	}
	if err := client.Call(ctx, http.MethodDelete, path+"/"+url.PathEscape(id), "", nil, nil); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s is deleted.\n", id)
	return err
}
