package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"onrush/modules/catalogue"
)

// recordVersion is the highest version of records whose meaning this program knows in full. It writes the
// lowest that has all fields of an order (versionOf), so that older instances can store what they know
// in full. A record of a higher version comes from a newer program during an upgrade; it may
// have fields that would be lost here, so only newer instances store it in SQL. The fields that a
// version has keep their names and meaning in later ones. Records without a version are of version 1.
const recordVersion = 2

// versionOf is the version of the record of an order: 2 if it has what version 1 doesn't.
func versionOf(o *Order) int {
	if o.ClientReference != "" {
		return 2
	}
	return 1
}

// record is an order as Redis keeps it while it is cached: what the order's tags json name, its version
// and its item. What has the tag "-" is the same for all cached orders, or follows from the rest.
type record struct {
	Version int `json:"v"`
	*Order
	Item recordItem `json:"i"`
}

// recordItem is an Item under the names of the record. It has the fields of Item, all and no others, since
// one is converted into the other.
type recordItem struct {
	Order        Number         `json:"-"`
	Line         int            `json:"-"`
	SKU          string         `json:"s"`
	Kind         catalogue.Kind `json:"-"` // the order's
	Title        string         `json:"t"`
	ImageURL     string         `json:"u,omitempty"`
	Quantity     int64          `json:"q"`
	Price        int64          `json:"p"`
	VoucherCodes []string       `json:"-"` // of paid orders
}

// ErrBadRecord says that a cached record can't be read or contradicts itself.
var ErrBadRecord = errors.New("bad order record")

// ErrNewerRecord says that a newer program wrote a record.
var ErrNewerRecord = errors.New("the order record is of a newer version")

// EncodeRecord writes a seckill order as Redis keeps it. It has exactly one item.
func EncodeRecord(o *Order) ([]byte, error) {
	if o.Type != Seckill || len(o.Items) != 1 {
		return nil, fmt.Errorf("%w: order %s: a cached order is a seckill order of one item", ErrBadRecord, o.Number)
	}
	return json.Marshal(record{Version: versionOf(o), Order: o, Item: recordItem(o.Items[0])})
}

// maxUnits is more than an order can have. Beyond it sums of a batch could overflow, and that is an
// error of the statement, not of the order.
const maxUnits = 1_000_000_000

// DecodeRecord reads a record back to store it; what can't be read is ErrBadRecord, one of a newer
// version is ErrNewerRecord.
func DecodeRecord(data []byte) (*Order, error) {
	o, version, err := readRecord(data)
	switch {
	case version > recordVersion:
		return nil, fmt.Errorf("%w: %d", ErrNewerRecord, version)
	case err != nil:
		return nil, err
	}
	return o, nil
}

// DecodeKnown reads what is known of a record, also of one of a newer version, to show or count it.
func DecodeKnown(data []byte) (*Order, error) {
	o, _, err := readRecord(data)
	return o, err
}

func readRecord(data []byte) (o *Order, version int, err error) {
	o = &Order{Type: Seckill, Status: Unpaid, Cached: true}
	r := record{Order: o}
	// Version 2 of the package reads in half the time of version 1, which writes faster.
	if err := jsonv2.Unmarshal(data, &r); err != nil {
		return nil, r.Version, fmt.Errorf("%w: %w", ErrBadRecord, err)
	}
	it := Item(r.Item)
	if o.Number <= 0 || o.User == "" || o.Activity == "" || it.SKU == "" || it.Quantity <= 0 || it.Quantity > maxUnits {
		return nil, r.Version, fmt.Errorf("%w: order %s lacks its user, activity, sku or quantity", ErrBadRecord, o.Number)
	}
	it.Order, it.Kind = o.Number, o.Kind
	o.Items = []Item{it}
	o.TotalAmount, o.SearchName = o.GoodsAmount+o.FreightAmount, SearchName(it.Title)
	return o, r.Version, nil
}

// SearchName is what the name filter searches: the items' titles in lower case, one a line.
func SearchName(titles ...string) string { return strings.ToLower(strings.Join(titles, "\n")) }
