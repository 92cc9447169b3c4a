package order

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// maxMoney bounds every price and fee in minor units.
const maxMoney = 1_000_000_000_000

// maxStock bounds the ordinary stock of a sku.
const maxStock = 1_000_000_000_000

// checks gathers what is wrong with the fields of an input.
type checks []problem.Field

// that notes a field as wrong unless ok.
func (c *checks) that(ok bool, field, format string, args ...any) {
	if !ok {
		*c = append(*c, problem.Field{Name: field, Detail: fmt.Sprintf(format, args...)})
	}
}

// text checks a field of least to most characters on one line.
func (c *checks) text(field, s string, least, most int) {
	switch {
	case least > 0 && strings.TrimSpace(s) == "":
		c.that(false, field, "is required")
	case utf8.RuneCountInString(s) > most:
		c.that(false, field, "must have at most %d characters", most)
	default:
		plain := utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
		c.that(plain, field, "must not contain control characters")
	}
}

// between checks a number.
func (c *checks) between(field string, n, least, most int64) {
	c.that(n >= least && n <= most, field, "must be from %d to %d", least, most)
}

// err is the invalid_request error of all that is wrong, or nil.
func (c checks) err() error {
	if len(c) == 0 {
		return nil
	}
	return &problem.Error{Code: problem.CodeInvalidRequest, Detail: c[0].Name + ": " + c[0].Detail, Fields: c}
}

const idRule = "must be 1 to 32 letters, digits or hyphens"

// validID says whether a text is an id of a sku, point or shop: [A-Za-z0-9-]{1,32}.
func validID(id string) bool {
	if id == "" || len(id) > 32 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

func validCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func (s SKU) check() error {
	var c checks
	c.that(validID(s.ID), "sku_id", idRule)
	c.text("title", s.Title, 1, 200)
	c.that(validID(s.Shop), "shop_id", idRule)
	c.text("image_url", s.ImageURL, 0, 500)
	c.that(s.Kind == Physical || s.Kind == Virtual || s.Kind == Voucher, "kind", "must be one of physical, virtual, voucher")
	c.between("price", s.Price, 0, maxMoney)
	c.that(validCurrency(s.Currency), "currency", "must be three capital letters, such as CNY")
	c.between("stock", s.Stock, 0, maxStock)
	c.between("freight.fee", s.Freight.Fee, 0, maxMoney)
	c.between("freight.free_over", s.Freight.FreeOver, 0, maxMoney)
	c.between("version", s.Version, 0, MaxAmount)
	return c.err()
}

// maxRegions bounds the regions of one point.
const maxRegions = 1000

func (p Point) check() error {
	var c checks
	c.that(validID(p.ID), "point_id", idRule)
	c.text("name", p.Name, 1, 200)
	c.that(len(p.Regions) <= maxRegions, "regions", "must be at most %d", maxRegions)
	seen := make(map[string]bool, len(p.Regions))
	for i, region := range p.Regions[:min(len(p.Regions), maxRegions)] {
		field := fmt.Sprintf("regions[%d]", i)
		c.text(field, region, 1, 32)
		c.that(!seen[region], field, "is there twice")
		seen[region] = true
		if len(c) > 20 {
			break
		}
	}
	c.between("freight_extra", p.FreightExtra, 0, maxMoney)
	c.between("version", p.Version, 0, MaxAmount)
	return c.err()
}

// sqlError makes what a caller sees of an error of the SQL store: a web.Error as it is, an error
// of a row's own data as an internal one, anything else as a store that is away.
func sqlError(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*problem.Error](err); ok {
		return err
	}
	if sqldb.IsRowError(err) || sqldb.IsDuplicate(err) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return problem.Unavailable(fmt.Errorf("%s: %w", doing, err), "The store is unavailable for a moment.")
}
