package order

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mailru/easyjson"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
)

// recordVersion is the highest version of records that this program knows completely. It writes the lowest
// version that has all fields of an order (versionOf), so that older instances can store the orders whose
// fields they know. A record of a higher version was written by a newer program during an upgrade; it may
// have fields that would be lost here, so only newer instances store it in SQL. Later versions keep the
// names and meanings of the fields of earlier ones, and "c" as the last member.
const recordVersion = reservedVersion

// The first versions of records with what the first version doesn't have. Instances that don't know them would count
// the order for its user (limit key), store one of its items only (basket), count it under no limit of the bundle, or
// not count it among the units that are reserved.
const limitKeyVersion, basketVersion, bundleVersion, reservedVersion = 2, 3, 4, 5

// versionOf returns the version of the record of an order: the first one that has all of its fields.
func versionOf(o *Order) int {
	switch {
	case o.Reserved:
		return reservedVersion
	case o.Bundle != nil:
		return bundleVersion
	case o.Type == Seckill && len(o.Items) > 1:
		return basketVersion
	case o.LimitKey != "":
		return limitKeyVersion
	}
	return 1
}

// ErrBadRecord says that a cached record can't be read or contradicts itself.
var ErrBadRecord = errors.New("bad order record")

// ErrNewerRecord says that a newer version of the program wrote a record.
var ErrNewerRecord = errors.New("the order record has a newer version")

// EncodeRecord returns the record of a seckill order, which must have 1 to lua.MaxTakes items.
func EncodeRecord(o *Order) ([]byte, error) {
	if o.Type != Seckill || len(o.Items) == 0 || len(o.Items) > lua.MaxTakes {
		return nil, fmt.Errorf("%w: order %s: a cached order is a seckill order of one to %d items", ErrBadRecord,
			o.Number, lua.MaxTakes)
	}
	return encodeRecord(o)
}

// recordSize is more than most records have, in bytes.
const recordSize = 1024

func encodeRecord(o *Order) ([]byte, error) {
	o.Version = versionOf(o)
	w := api.NewWriter(recordSize)
	o.MarshalEasyJSON(&w)
	data, err := w.BuildBytes()
	if err != nil {
		return nil, fmt.Errorf("encode order %s: %w", o.Number, err)
	}
	return data, nil
}

// maxUnits is more than an order can have. With more, the sums of a batch could overflow, and SQL would
// refuse the whole statement instead of the one order.
const maxUnits = 1_000_000_000

// DecodeRecord reads the record of a cached order, and keeps its bytes. The error wraps ErrBadRecord if it can't be
// read, and ErrNewerRecord if a newer version of the program wrote it; then the order has the fields that this version
// knows, or is nil. Such an order may be shown and counted, but not stored.
func DecodeRecord(data []byte) (*Order, error) {
	o, err := decodeRecord(data)
	version := o.Version
	if err == nil {
		err = checkCached(o)
	}
	if err != nil {
		o = nil
	} else {
		o.Status, o.Cached = Unpaid, true
	}
	if version > recordVersion {
		return o, fmt.Errorf("%w: %d", ErrNewerRecord, version)
	}
	return o, err
}

// checkCached returns an error for an order that is not one of a sale, or that lacks what a mover needs.
func checkCached(o *Order) error {
	if o.Type != Seckill || len(o.Items) == 0 || len(o.Items) > lua.MaxTakes {
		return fmt.Errorf("%w: order %s is no seckill order of one to %d items", ErrBadRecord, o.Number, lua.MaxTakes)
	}
	lacks := o.Number <= 0 || o.User == "" || o.Activity == "" ||
		o.Bundle != nil && (o.Bundle.SKU == "" || o.Bundle.Quantity <= 0 || o.Bundle.Quantity > maxUnits)
	for i := range o.Items {
		it := &o.Items[i]
		lacks = lacks || it.SKU == "" || it.Quantity <= 0 || it.Quantity > maxUnits
		for _, before := range o.Items[:i] {
			if before.SKU == it.SKU {
				return fmt.Errorf("%w: order %s has sku %q twice", ErrBadRecord, o.Number, it.SKU)
			}
		}
	}
	if lacks {
		return fmt.Errorf("%w: order %s lacks its user, activity, sku or quantity", ErrBadRecord, o.Number)
	}
	return nil
}

// decodeRecord reads a record, and keeps its bytes. After an error the order is incomplete.
func decodeRecord(data []byte) (*Order, error) {
	o := &Order{record: data}
	if err := unmarshal(data, o); err != nil {
		return o, fmt.Errorf("%w: %w", ErrBadRecord, err)
	}
	if ContentOf(data) == nil {
		return o, fmt.Errorf("%w: the content of order %s is not its last member", ErrBadRecord, o.Number)
	}
	for i := range o.Items {
		o.Items[i].Line = i + 1
	}
	return o, nil
}

func unmarshal(data []byte, o *Order) error {
	if !utf8.Valid(data) { // SQL would refuse it
		return errors.New("it is not UTF-8")
	}
	return easyjson.Unmarshal(data, o)
}

// contentMember stands before the content in a record.
var contentMember = []byte(`,"c":`)

// ContentOf returns the JSON of the Content in a record, which is its last member, or nil if it has none. No text
// contains contentMember, since quotes in texts are escaped.
func ContentOf(record []byte) []byte {
	_, after, ok := bytes.Cut(record, contentMember)
	if content, last := bytes.CutSuffix(after, []byte("}")); ok && last {
		return content
	}
	return nil
}

// Record returns the record that the order was read from.
func (o *Order) Record() []byte { return o.record }

// SearchName returns the titles that the name filter searches, also of a bundle, folded, one per line.
func SearchName(o *Order) string {
	var titles []string
	if o.Bundle != nil {
		titles = []string{o.Bundle.Title}
	}
	for _, it := range o.Items {
		titles = append(titles, it.Title)
	}
	name := catalogue.FoldName(strings.Join(titles, "\n"))
	return strings.ToValidUTF8(name[:min(len(name), 60_000)], "") // its column has at most 65,535 bytes
}
