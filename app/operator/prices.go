package operator

import (
	"context"
	"net/url"
	"regexp"
	"strconv"

	"onrush/modules/api"
)

// flashPrice matches the field of a flash price, which is in minor units in files and in JSON.
var flashPrice = regexp.MustCompile(`^skus\[(.+)\]\.flash_price$`)

// Readable returns the differences of a plan as people read them: prices in the major units of their currency. What the
// program doesn't tell of a sku leaves its price as it is in the file.
func (c *Client) Readable(ctx context.Context, p *Plan) []string {
	lines := make([]string, len(p.Differences))
	for i, d := range p.Differences {
		if m := flashPrice.FindStringSubmatch(d.Field); m != nil {
			var sku struct {
				Currency string `json:"currency"`
			}
			if err := c.Get(ctx, "/admin/api/v1/skus/"+url.PathEscape(m[1]), &sku); err == nil {
				d.From, d.To = priceIn(d.From, sku.Currency), priceIn(d.To, sku.Currency)
			}
		}
		lines[i] = d.String()
	}
	return lines
}

// priceIn returns a price of a file, "" for none, in major units.
func priceIn(price, currency string) string {
	minor, err := strconv.ParseInt(price, 10, 64)
	if err != nil {
		return price
	}
	return api.Money(minor, currency)
}
