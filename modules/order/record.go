package order

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
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
const recordVersion = 5

// basketVersion is the first version of records of sales with several items, and bundleVersion of those with a bundle.
const basketVersion, bundleVersion = 3, 4

// fieldVersions has the first version of records with each field, by its path in the JSON. A new field needs a new
// recordVersion.
var fieldVersions = map[string]int{
	"v": 1, "n": 1, "u": 1, "t": 1, "dg": 1, "ip": 1, "c": 1,
	"tp": 1, // instances that don't know it store the record with it, and only draw no span
	"lk": 2, // instances that don't know it would count the order for its user
	"rs": 5, // instances that don't know it would not count it among the units that are reserved

	"c.type": 1, "c.kind": 1, "c.shop_id": 1, "c.activity_id": 1, "c.point_id": 1, "c.items": 1, "c.goods_amount": 1,
	"c.freight_amount": 1, "c.total_amount": 1, "c.currency": 1, "c.address": 1, "c.delivery": 1,
	"c.pickup_point_id": 1, "c.remark": 1, "c.fields": 1, "c.room_id": 1, "c.share_code": 1, "c.share_source": 1,
	"c.inviter_id": 1, "c.placed_at": 1, "c.pay_before": 1, "c.client_reference": 1, "c.notify_token": 1,

	"c.items.sku_id": 1, "c.items.kind": 1, "c.items.title": 1, "c.items.image_url": 1, "c.items.quantity": 1,
	"c.items.price": 1, "c.items.point_id": 1, "c.items.voucher_codes": 1,
	"c.items.vouchers_waiting": 1, // as voucher_codes, in no record

	"c.bundle": 1, "c.bundle.sku_id": 1, "c.bundle.title": 1, "c.bundle.quantity": 1, "c.bundle.price": 1,
	"c.address.address_id": 1, "c.address.receiver": 1, "c.address.phone": 1, "c.address.region": 1,
	"c.address.detail": 1, "c.address.is_default": 1,
}

// laterField is a field that the first version of records doesn't have.
type laterField struct {
	index   []int // of the field, behind those of the structs that it is in
	version int
}

// laterFields returns the fields that the first version doesn't have, highest version first.
func laterFields(versions map[string]int) []laterField {
	var later []laterField
	for _, path := range slices.Sorted(maps.Keys(versions)) {
		if v := versions[path]; v > 1 {
			later = append(later, laterField{indexOf(reflect.TypeFor[Order](), strings.Split(path, ".")), v})
		}
	}
	slices.SortStableFunc(later, func(a, b laterField) int { return b.version - a.version })
	return later
}

// indexOf returns the indexes of the fields on a path of names in the JSON. It panics if a struct lacks one of them.
func indexOf(of reflect.Type, path []string) (index []int) {
	for _, name := range path {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		i := 0
		for jsonName(of.Field(i)) != name {
			i++
		}
		index, of = append(index, i), of.Field(i).Type
	}
	return index
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

var later = laterFields(fieldVersions)

// versionOf returns the version of the record of an order: the first one that has all of its fields.
func versionOf(o *Order, later []laterField) int {
	version := 1
	if o.Bundle != nil {
		version = bundleVersion
	} else if o.Type == Seckill && len(o.Items) > 1 {
		version = basketVersion
	}
	for _, f := range later {
		if has(reflect.ValueOf(o), f.index) {
			return max(version, f.version)
		}
	}
	return version
}

// has reports whether a struct, or one of a slice of them, has a value in the field at an index of laterField. Each
// order that is placed is asked, so that nothing is looked up here.
func has(v reflect.Value, index []int) bool {
	v = reflect.Indirect(v)
	switch {
	case !v.IsValid():
		return false
	case len(index) == 0:
		return !v.IsZero()
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if has(v.Index(i), index) {
				return true
			}
		}
		return false
	}
	return has(v.Field(index[0]), index[1:])
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
	o.Version = versionOf(o, later)
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
