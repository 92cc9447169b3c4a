package attribution

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a list of zones

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

const (
	// defaultSpan is how long a span without a beginning is; longestSpan bounds all spans.
	defaultSpan, longestSpan = 30 * 24 * time.Hour, 366 * 24 * time.Hour
	// maxZone is the longest name of a zone, in characters.
	maxZone = 64
)

// HTTPOperator serves the operators' routes of attribution.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// List answers GET /admin/api/v1/attribution.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	q, err := h.query(c, "sort", "currency", "after", "page_size")
	if err != nil {
		return err
	}
	at, err := web.ParseCursor(c)
	if err != nil {
		return err
	}
	var after []string
	if at.After != "" {
		var ok bool
		if after, ok = api.ParseCursor(at.After, 2); !ok {
			return problem.Invalid("after", "must be the next_cursor of a page")
		}
	}
	l, err := h.list(c, q)
	if err != nil {
		return err
	}
	page := api.List[Value]{PageSize: at.Size, Items: l.Items[start(l.Items, after):]}
	if len(page.Items) > at.Size {
		page.Items = page.Items[:at.Size]
		page.NextCursor = api.FormatCursor(page.Items[at.Size-1].key()...)
	}
	return c.JSON(page)
}

// key returns what the cursor behind a value says: its rank, and a digest, since values are longer than cursors.
func (v *Value) key() []string {
	sum := sha256.Sum256([]byte(v.Value))
	return []string{strconv.FormatInt(v.rank, 10), hex.EncodeToString(sum[:8])}
}

// start returns where the page behind a key begins: behind its value or, if the value has moved, behind all values of
// the rank in the key.
func start(values []Value, after []string) int {
	if len(after) == 0 {
		return 0
	}
	for i := range values {
		if slices.Equal(values[i].key(), after) {
			return i + 1
		}
	}
	rank, err := strconv.ParseInt(after[0], 10, 64)
	if err != nil {
		return len(values)
	}
	n, _ := slices.BinarySearchFunc(values, rank, func(v Value, rank int64) int {
		if v.rank >= rank {
			return -1
		}
		return 1
	})
	return n
}

// totals are what a list and its days add up to.
type totals struct {
	*List
	TimeZone string `json:"time_zone"`
	Days     []Day  `json:"days"`
}

// Totals answers GET /admin/api/v1/attribution/totals.
func (h *HTTPOperator) Totals(c *fiber.Ctx) error {
	t, err := h.totals(c)
	if err != nil {
		return err
	}
	return c.JSON(t)
}

// CSV answers GET /admin/api/v1/attribution.csv.
func (h *HTTPOperator) CSV(c *fiber.Ctx) error {
	t, err := h.totals(c, "bom")
	if err != nil {
		return err
	}
	return web.CSV(c, "attribution.csv", csvHeader, t.rows())
}

// totals reads the totals of a request; more are the other parameters of the route.
func (h *HTTPOperator) totals(c *fiber.Ctx, more ...string) (t totals, err error) {
	q, err := h.query(c, append(more, "sort", "currency", "time_zone")...)
	if err != nil {
		return t, err
	}
	zone, err := queryZone(c)
	if err != nil {
		return t, err
	}
	t.TimeZone = zone.String()
	if t.List, err = h.list(c, q); err != nil {
		return t, err
	}
	t.Days, err = h.service.Days(c.UserContext(), q, zone)
	return t, err
}

func (h *HTTPOperator) list(c *fiber.Ctx, q Query) (*List, error) {
	sort, err := web.Query(c, "sort", ByNet, ByOrders)
	if err != nil {
		return nil, err
	}
	currency, err := web.Query(c, "currency")
	if err != nil {
		return nil, err
	}
	if currency != "" && !problem.IsCurrency(currency) {
		return nil, problem.Invalid("currency", "must be a currency, such as CNY")
	}
	return h.service.List(c.UserContext(), q, cmp.Or(sort, ByNet), currency)
}

// query reads what selects the orders; more are the other parameters of the route.
func (h *HTTPOperator) query(c *fiber.Ctx, more ...string) (q Query, err error) {
	names := append(more, "by", "value", "shop_id", "activity_id", "from", "to")
	if err := web.OnlyQuery(c, names...); err != nil {
		return q, err
	}
	if q.By, err = web.Query(c, "by", Names...); err != nil {
		return q, err
	}
	q.By = cmp.Or(q.By, Names[0])
	if q.Value, err = web.QueryLine(c, "value", order.MaxAttribution); err != nil {
		return q, err
	}
	q.Value = strings.TrimRight(q.Value, " ")
	if q.Shop, err = web.QueryID(c, "shop_id"); err != nil {
		return q, err
	}
	if q.Activity, err = web.QueryID(c, "activity_id"); err != nil {
		return q, err
	}
	if q.From, q.To, err = web.QuerySpan(c); err != nil {
		return q, err
	}
	if q.To == 0 { // the end of the minute, so that the pages of a list have the same span
		q.To = api.Millis(h.service.now().Truncate(time.Minute).Add(time.Minute).UnixMilli())
	}
	if q.From == 0 {
		q.From = q.To - api.Millis(defaultSpan.Milliseconds())
	}
	switch span := q.To - q.From; {
	case span <= 0:
		return q, problem.Invalid("from", "must be before the end")
	case int64(span) > longestSpan.Milliseconds():
		return q, problem.Invalid("from", "must be at most 366 days before the end")
	}
	return q, nil
}

// queryZone reads the zone whose days are meant, by default UTC.
func queryZone(c *fiber.Ctx) (*time.Location, error) {
	name, err := web.QueryLine(c, "time_zone", maxZone)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == time.Local.String() { // the zone of this machine
		return nil, problem.Invalid("time_zone", "must be the name of a time zone, such as Asia/Shanghai")
	}
	return zone, nil
}
