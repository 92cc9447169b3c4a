package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Filter selects activities; zero values select all. From (inclusive) and To (exclusive) select by when they were
// created. Text selects by a part of the title or the id, without regard to case, among the newest of the shop, or of
// all: at most mostSearched, so that a search ends soon however many there are.
type Filter struct {
	State    seckill.State
	Shop     string
	From, To api.Millis
	Text     string
}

const mostSearched = 10_000

// likeText escapes what LIKE takes for more than a character.
var likeText = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// search adds the search for the filter's text to w.
func (f Filter) search(w *sqldb.Where) {
	if f.Text == "" {
		return
	}
	var of sqldb.Where
	of.AndIf(f.Shop != "", "shop_id = ?", f.Shop)
	part := "%" + likeText.Replace(strings.ToLower(f.Text)) + "%"
	w.And(`activity_id IN (SELECT activity_id FROM (SELECT activity_id, title FROM activities`+of.String()+`
		ORDER BY created_ms DESC, activity_id DESC LIMIT ?) AS newest
		WHERE LOWER(title) LIKE ? ESCAPE '!' OR LOWER(activity_id) LIKE ? ESCAPE '!')`,
		of.Args(mostSearched, part, part)...)
}

var errCursor = problem.Invalid("after", "must be the next_cursor of a page of this list")

// List returns a page of activities, the newest first. By page number it has their total number.
func (as *Activities) List(ctx context.Context, f Filter, page api.KeyPage) (api.List[*seckill.Activity], error) {
	list := api.List[*seckill.Activity]{Page: page.Page, PageSize: page.Size}
	var w sqldb.Where
	w.AndIf(f.State != "", "state = ?", f.State)
	w.AndIf(f.Shop != "", "shop_id = ?", f.Shop)
	w.AndIf(f.From != 0, "created_ms >= ?", int64(f.From))
	w.AndIf(f.To != 0, "created_ms < ?", int64(f.To))
	f.search(&w)
	all := w
	if page.After != "" {
		keys, ok := api.ParseCursor(page.After, 2)
		if !ok || !ids.Valid(keys[1]) {
			return list, errCursor
		}
		ms, err := strconv.ParseInt(keys[0], 10, 64)
		if err != nil {
			return list, errCursor
		}
		w.And("created_ms <= ? AND (created_ms < ? OR activity_id < ?)", ms, ms, keys[1])
	}
	err := as.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.After == "" {
			var total int64
			if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM activities`+all.String(),
				all.Args()...); err != nil {
				return fmt.Errorf("count activities: %w", err)
			}
			list.Total = &total
		}
		var ids []string
		query := `SELECT activity_id FROM activities` + w.String() +
			` ORDER BY created_ms DESC, activity_id DESC LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &ids, query, w.Args(page.Size+1, page.Offset())...); err != nil {
			return fmt.Errorf("select page of activities: %w", err)
		}
		more := len(ids) > page.Size
		ids = ids[:min(len(ids), page.Size)]
		unordered, err := seckill.SelectActivities(ctx, tx, ids)
		if err != nil {
			return err
		}
		byID := map[string]*seckill.Activity{}
		for _, a := range unordered {
			byID[a.ID] = a
		}
		for _, id := range ids {
			list.Items = append(list.Items, byID[id])
		}
		if more {
			last := list.Items[page.Size-1]
			list.NextCursor = api.FormatCursor(strconv.FormatInt(last.CreatedMS, 10), last.ID)
		}
		return nil
	})
	if err != nil {
		return list, problem.Unavailable(err, "The activities can't be read right now.")
	}
	return list, nil
}
