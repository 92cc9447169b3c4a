package catalogue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/sqldb"
)

// After is a part of a list that is sorted by a text: the first Size items whose text is greater than Text.
type After struct {
	Text string
	Size int // 1 to api.MaxPageSize
}

// SKUsAfter lists the skus of a shop ("" means all shops) by id, as they were at most two seconds ago. A sku that is
// stored from the first page to the last is on exactly one of them.
func (c *Catalogue) SKUsAfter(ctx context.Context, shop string, page After) (api.List[SKU], error) {
	list := api.List[SKU]{PageSize: page.Size}
	listed, _, err := c.lists.Get(ctx, ids.Join(shop, page.Text))
	if err != nil {
		return list, err
	}
	if len(listed) > page.Size {
		listed = listed[:page.Size]
		list.NextCursor = listed[page.Size-1]
	}
	skus, err := c.skus.GetAll(ctx, listed)
	if err != nil {
		return list, err
	}
	for _, id := range listed {
		if sku, ok := skus[id]; ok { // it may have been deleted since
			list.Items = append(list.Items, sku)
		}
	}
	return list, nil
}

// loadLists reads the ids behind each key's cursor: a page of the largest size, and one more if there are more. The
// keys are read one after the other, so that a client that asks for many pages keeps one connection busy.
func (c *Catalogue) loadLists(ctx context.Context, keys []string) (map[string][]string, error) {
	lists := make(map[string][]string, len(keys))
	for _, key := range keys {
		shop, after, _ := strings.Cut(key, ids.Separator)
		var w sqldb.Where
		w.And(`sku_id > ?`, after)
		if shop != "" {
			w.And(`shop_id = ?`, shop)
		}
		ids := []string{}
		query := `SELECT sku_id FROM skus` + w.String() + ` ORDER BY sku_id LIMIT ?`
		if err := sqlx.SelectContext(ctx, c.db.Read, &ids, query, w.Args(api.MaxPageSize+1)...); err != nil {
			return lists, fmt.Errorf("list skus: %w", err)
		}
		lists[key] = ids
	}
	return lists, nil
}

// PointsAfter lists the stock points by id, as they were at most a second ago; with pickup not nil, those that buyers
// may, or may not, collect goods from.
func (c *Catalogue) PointsAfter(ctx context.Context, pickup *bool, page After) (api.List[Point], error) {
	list := api.List[Point]{PageSize: page.Size}
	set, err := c.pointSet(ctx)
	if err != nil {
		return list, err
	}
	ids := set.ids
	if pickup != nil {
		ids = set.byPickup[*pickup]
	}
	ids = behind(ids, page.Text)
	if len(ids) > page.Size {
		ids = ids[:page.Size]
		list.NextCursor = ids[page.Size-1]
	}
	for _, id := range ids {
		list.Items = append(list.Items, set.byID[id])
	}
	return list, nil
}

// RegionsAfter lists the regions that stock points serve, sorted byte by byte, as they were at most a second ago.
func (c *Catalogue) RegionsAfter(ctx context.Context, page After) (api.List[string], error) {
	list := api.List[string]{PageSize: page.Size}
	set, err := c.pointSet(ctx)
	if err != nil {
		return list, err
	}
	list.Items = behind(set.regions, page.Text)
	if len(list.Items) > page.Size {
		list.Items = list.Items[:page.Size]
		list.NextCursor = list.Items[page.Size-1]
	}
	return list, nil
}

// behind returns the part of a sorted list behind a text, which need not be in it.
func behind(sorted []string, text string) []string {
	at, found := slices.BinarySearch(sorted, text)
	if found {
		at++
	}
	return sorted[at:]
}
