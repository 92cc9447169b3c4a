package order

import (
	"fmt"
	"strings"
)

// GoodsText names the first items of orders for people, such as "Kettle × 2, Cup".
func GoodsText(orders []*Order, most int) string {
	var names []string
	for _, o := range orders {
		for _, it := range o.Items {
			name := it.Title
			if it.Quantity > 1 {
				name = fmt.Sprintf("%s × %d", it.Title, it.Quantity)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names[:min(len(names), most)], ", ")
}
