package drill

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"onrush/app/buyer"
	"onrush/web/client"
)

// maxPages bounds one walk of my orders.
const maxPages = 1000

// walk reads my orders from page to page, by cursor or by number, and compares them with what was accepted before it
// began.
func (s *shopper) walk(ctx context.Context) {
	before, unknown := s.run.record.acceptedOf(s)
	// An order that is placed meanwhile, as in a sale beside the first one, moves what follows to a later page.
	tabs := slices.ContainsFunc(s.plan.Orders, func(i Intent) bool { return i.Submit == TwoTabs })
	byCursor := unknown || tabs || s.run.besides() || s.plan.Number%2 == 0
	numbers, pages, complete := s.pages(ctx, byCursor, 1+s.plan.Number%3)
	s.run.record.count("pages", pages)
	if !complete {
		s.run.record.count("walks left", 1)
		return
	}
	s.run.record.count("walks", 1)
	seen := map[string]int{}
	for _, number := range numbers {
		seen[number]++
		if seen[number] == 2 {
			s.run.record.problem(checkLists, "%s sees order %s twice in %v", s.Name, number, numbers)
		}
	}
	for _, number := range before {
		if seen[number] == 0 {
			s.run.record.problem(checkLists, "%s misses order %s in %v", s.Name, number, numbers)
		}
	}
	for _, number := range s.run.record.othersOf(s.Name, numbers) {
		s.run.record.problem(checkLists, "%s sees order %s of another buyer", s.Name, number)
	}
	if !slices.IsSortedFunc(numbers, newer) {
		s.run.record.problem(checkLists, "%s sees %v out of order", s.Name, numbers)
	}
}

// newer compares order numbers for a list that begins with the newest.
func newer(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }

// pages reads all pages of my orders. complete is false if one was not answered, or without one of the stores.
func (s *shopper) pages(ctx context.Context, byCursor bool, size int) (numbers []string, pages int, complete bool) {
	query := url.Values{"page_size": {fmt.Sprint(size)}}
	for pages < maxPages {
		if !byCursor {
			query.Set("page", fmt.Sprint(pages+1))
		}
		got := s.Insist(ctx, "orders", "GET", "/api/v1/orders?"+query.Encode(), "", nil)
		var page client.OrderList
		if got.Code != buyer.OK || !got.Read(&page) || page.Partial {
			return nil, pages, false
		}
		pages++
		for _, item := range page.Items {
			numbers = append(numbers, item.OrderNumber)
		}
		if page.NextCursor == "" || len(page.Items) == 0 {
			return numbers, pages, true
		}
		query.Set("before", page.NextCursor)
		if !byCursor {
			query.Del("before")
		}
	}
	return numbers, pages, false
}
