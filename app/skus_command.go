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
	"time"

	"onrush/app/operator"
	"onrush/web/client"
)

type skusCommand struct {
	List   skusListCommand   `cmd:"" default:"withargs" help:"List the goods of the catalogue."`
	Show   skusShowCommand   `cmd:"" help:"Print a sku as a file that put reads."`
	Put    skusPutCommand    `cmd:"" help:"Create or replace the goods of a file; of up to 1,000 all, or none."`
	Stock  skusStockCommand  `cmd:"" help:"Raise or lower the ordinary stock of a sku, outside of sales."`
	Delete skusDeleteCommand `cmd:"" help:"Delete a sku that nothing sells."`

	SetStock skusSetStockCommand `cmd:"" help:"Set the ordinary stock of the goods of a file to numbers of units."`
}

const skusPath = "/admin/api/v1/skus"

type skusListCommand struct {
	listing
	Shop     string    `help:"Id of the shop."`
	Activity string    `help:"Only goods of this sale."`
	From     time.Time `help:"Only goods changed at this time or later."`
	To       time.Time `help:"Only goods changed before this time."`
}

// Run prints the goods by id, or by their last change if that is bounded.
func (c *skusListCommand) Run(ctx context.Context, out io.Writer) error {
	query := filter("shop_id", c.Shop, "activity_id", c.Activity, "from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, skusPath, query,
		"SKU=sku_id, KIND=kind, SHOP=shop_id, PRICE=price$, CURRENCY=currency, STOCK=stock, TITLE=title")
}

type skusShowCommand struct {
	calling
	SKU string `arg:"" name:"sku" help:"Id of the sku."`
}

// Run prints a sku.
func (c *skusShowCommand) Run(ctx context.Context, out io.Writer) error {
	return c.show(ctx, out, skusPath+"/"+url.PathEscape(c.SKU), "sku_id")
}

type skusPutCommand struct {
	calling
	File string `short:"f" required:"" help:"YAML or JSON: a sku, or a list. - is standard input."`
}

// Run stores the goods of a file.
func (c *skusPutCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return c.put(ctx, in, out, c.File, skusPath+":batch", "sku_id")
}

type skusStockCommand struct {
	calling
	SKU  string `arg:"" name:"sku" help:"Id of the sku."`
	Add  int64  `xor:"delta" required:"" help:"Units to add."`
	Take int64  `xor:"delta" required:"" help:"Units to take away."`
	Key  string `help:"Idempotency-Key: repeat a change whose answer was lost with the key that it printed."`
}

// Run changes the stock once per key.
func (c *skusStockCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Add < 0 || c.Take < 0 {
		return errors.New("--add and --take must not be negative")
	}
	if c.Key == "" {
		c.Key = crand.Text()
	}
	var sku json.RawMessage
	err := c.client().Call(ctx, http.MethodPost, skusPath+"/"+url.PathEscape(c.SKU)+"/stock", c.Key,
		map[string]int64{"delta": c.Add - c.Take}, &sku)
	if err != nil {
		return withKey(err, c.Key)
	}
	if c.json() {
		return operator.WriteJSON(out, sku)
	}
	var now client.SKU
	if err := json.Unmarshal(sku, &now); err != nil {
		return fmt.Errorf("read the sku: %w", err)
	}
	_, err = fmt.Fprintf(out, "Stock of %s: %d.\n", c.SKU, now.Stock)
	return err
}

type skusSetStockCommand struct {
	calling
	File string `short:"f" required:"" help:"YAML or JSON: a list of sku_id, stock and version. - is standard input."`
}

// Run sets the stock of the goods of a file, where nobody has changed the versions that it names.
func (c *skusSetStockCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return c.put(ctx, in, out, c.File, skusPath+":stock", "sku_id")
}

type skusDeleteCommand struct {
	remote
	confirmFlag
	SKU string `arg:"" name:"sku" help:"Id of the sku."`
}

// Run deletes a sku.
func (c *skusDeleteCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return deleteItem(ctx, c.client(), in, out, &c.confirmFlag, skusPath, c.SKU)
}
