package order

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"onrush/modules/catalogue"
	"onrush/web/api"
)

// recordVersion is the highest version of records that this program knows completely. It writes the lowest
// version that has all fields of an order (versionOf), so that older instances can store the orders whose
// fields they know. A record of a higher version was written by a newer program during an upgrade; it may
// have fields that would be lost here, so only newer instances store it in SQL. Later versions keep the
// names and meanings of the fields of earlier ones. Records without a version have version 1.
const recordVersion = 3

// versionOf returns the version of the record of an order: the first one that has all of its fields.
func versionOf(o *Order) int {
	switch {
	case o.NotifyToken != "":
		return 3
	case o.ClientReference != "":
		return 2
	}
	return 1
}

// record is a cached order in Redis: the fields of Order with a json name, the version and the item.
// Fields with the tag "-" are the same for all cached orders, or follow from the others.
type record struct {
	Version int `json:"v"`
	*Order
	Item recordItem `json:"i"`
}

// recordItem is an Item with the names of the record. It must have exactly the fields of Item, since they
// are converted into each other.
type recordItem struct {
	Order        Number         `json:"-"`
	Line         int            `json:"-"`
	SKU          string         `json:"s"`
	Kind         catalogue.Kind `json:"-"` // the order's
	Title        string         `json:"t"`
	ImageURL     string         `json:"u,omitempty"`
	Quantity     int64          `json:"q"`
	Price        int64          `json:"p"`
	Point        string         `json:"-"` // the order's
	VoucherCodes []string       `json:"-"` // of paid orders
}

// ErrBadRecord says that a cached record can't be read or contradicts itself.
var ErrBadRecord = errors.New("bad order record")

// ErrNewerRecord says that a newer version of the program wrote a record.
var ErrNewerRecord = errors.New("the order record has a newer version")

// EncodeRecord returns the record of a seckill order, which must have exactly one item.
func EncodeRecord(o *Order) ([]byte, error) {
	if o.Type != Seckill || len(o.Items) != 1 {
		return nil, fmt.Errorf("%w: order %s: a cached order is a seckill order of one item", ErrBadRecord, o.Number)
	}
	return appendRecord(make([]byte, 0, 768), o), nil
}

// appendRecord appends the JSON of a record, in the order of its fields. Each placed order has one, and reflection
// takes three times as long.
func appendRecord(b []byte, o *Order) []byte {
	it := &o.Items[0]
	b = strconv.AppendInt(append(b, `{"v":`...), int64(versionOf(o)), 10)
	b = strconv.AppendInt(append(b, `,"n":"`...), int64(o.Number), 10)
	b = appendText(b, `","u":`, o.User)
	b = appendText(b, `,"t":`, o.Task)
	b = appendText(b, `,"dg":`, o.Digest)
	b = appendText(b, `,"k":`, string(o.Kind))
	b = appendText(b, `,"s":`, o.Shop)
	b = appendText(b, `,"a":`, o.Activity)
	b = appendText(b, `,"p":`, o.Point)
	b = strconv.AppendInt(append(b, `,"g":`...), o.GoodsAmount, 10)
	if o.FreightAmount != 0 {
		b = strconv.AppendInt(append(b, `,"f":`...), o.FreightAmount, 10)
	}
	b = appendText(b, `,"c":`, o.Currency)
	b = appendText(b, `,"d":`, string(o.Delivery))
	b = api.AppendText(b, `,"pp":`, o.PickupPoint)
	b = api.AppendText(b, `,"ad":`, o.Address)
	b = api.AppendText(b, `,"r":`, o.Remark)
	b = api.AppendText(b, `,"fl":`, o.Fields)
	b = api.AppendText(b, `,"ro":`, o.Room)
	b = api.AppendText(b, `,"sc":`, o.ShareCode)
	b = api.AppendText(b, `,"ss":`, o.ShareSource)
	b = api.AppendText(b, `,"iv":`, o.Inviter)
	b = strconv.AppendInt(append(b, `,"at":`...), o.PlacedMS, 10)
	b = api.AppendText(b, `,"ip":`, o.PlacedFrom)
	b = strconv.AppendInt(append(b, `,"pb":`...), o.PayBeforeMS, 10)
	b = api.AppendText(b, `,"cr":`, o.ClientReference)
	b = api.AppendText(b, `,"nt":`, o.NotifyToken)
	b = appendText(b, `,"i":{"s":`, it.SKU)
	b = appendText(b, `,"t":`, it.Title)
	b = api.AppendText(b, `,"u":`, it.ImageURL)
	b = strconv.AppendInt(append(b, `,"q":`...), it.Quantity, 10)
	return append(strconv.AppendInt(append(b, `,"p":`...), it.Price, 10), '}', '}')
}

// appendText appends a member of a JSON object, even if its text is empty.
func appendText(b []byte, member, text string) []byte {
	if text == "" {
		return append(append(b, member...), '"', '"')
	}
	return api.AppendText(b, member, text)
}

// maxUnits is more than an order can have. With more, the sums of a batch could overflow, and SQL would
// refuse the whole statement instead of the one order.
const maxUnits = 1_000_000_000

// DecodeRecord reads a record. The error wraps ErrBadRecord if it can't be read, and ErrNewerRecord if a
// newer version of the program wrote it; then the order has the fields that this version knows, or is
// nil. Such an order may be shown and counted, but not stored.
func DecodeRecord(data []byte) (*Order, error) {
	o, version, err := readRecord(data)
	if version > recordVersion {
		return o, fmt.Errorf("%w: %d", ErrNewerRecord, version)
	}
	return o, err
}

func readRecord(data []byte) (o *Order, version int, err error) {
	o = &Order{Type: Seckill, Status: Unpaid, Cached: true}
	r := record{Order: o}
	// Version 2 of encoding/json reads twice as fast as version 1.
	if err := jsonv2.Unmarshal(data, &r); err != nil {
		return nil, r.Version, fmt.Errorf("%w: %w", ErrBadRecord, err)
	}
	it := Item(r.Item)
	if o.Number <= 0 || o.User == "" || o.Activity == "" || it.SKU == "" || it.Quantity <= 0 || it.Quantity > maxUnits {
		return nil, r.Version,
			fmt.Errorf("%w: order %s lacks its user, activity, sku or quantity", ErrBadRecord, o.Number)
	}
	it.Order, it.Kind, it.Point = o.Number, o.Kind, o.Point
	o.Items = []Item{it}
	o.TotalAmount, o.SearchName = o.GoodsAmount+o.FreightAmount, SearchName(it.Title)
	return o, r.Version, nil
}

// SearchName returns the text that the name filter searches: the items' titles in lower case, one per
// line.
func SearchName(titles ...string) string { return strings.ToLower(strings.Join(titles, "\n")) }
