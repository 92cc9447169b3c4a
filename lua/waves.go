package lua

import (
	"strconv"
	"strings"

	"onrush/modules/ids"
)

// WavesField is the field of the meta hash with the waves of a sku, as FormatWaves writes them. A sku that never had
// waves lacks it.
func WavesField(sku string) string { return "waves:" + sku }

// ReservedField is the field of the meta hash with the units of a sku that are reserved for some buyers, as FormatWaves
// writes them: AtMS is until when, and each point is given once. A sku that never had such units lacks it.
func ReservedField(sku string) string { return "reserved:" + sku }

// Wave is a part of the stock of a sku at a point that buyers may take from a time on.
type Wave struct {
	Point    string `json:"point_id"`
	AtMS     int64  `json:"at_ms"` // UTC
	Quantity int64  `json:"quantity"`
}

// FormatWaves writes waves as `<point>~<at_ms>~<quantity>` with spaces between.
func FormatWaves(waves []Wave) string {
	texts := make([]string, len(waves))
	for i, w := range waves {
		texts[i] = ids.Join(w.Point, strconv.FormatInt(w.AtMS, 10), strconv.FormatInt(w.Quantity, 10))
	}
	return strings.Join(texts, " ")
}

// ParseWaves reads what FormatWaves writes, and reports whether it is valid.
func ParseWaves(text string) (waves []Wave, ok bool) {
	for _, one := range strings.Fields(text) {
		parts, ok := ids.Split(one, 3)
		if !ok {
			return nil, false
		}
		at, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			return nil, false
		}
		quantity, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return nil, false
		}
		waves = append(waves, Wave{parts[0], at, quantity})
	}
	return waves, true
}
