package api_test

import (
	"encoding/json"
	"fmt"

	"onrush/modules/api"
)

func ExampleList() {
	type order struct {
		Number  string     `json:"order_number"`
		Created api.Millis `json:"created_at"`
		Paid    api.Millis `json:"paid_at"`
	}
	page := api.Page{Page: 1, Size: api.DefaultPageSize}
	list := api.List[order]{
		Items: []order{{Number: "4611686018427387905", Created: 1767323045678}},
		Page:  page.Page, PageSize: page.Size,
	}
	body, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(body))
	// Output:
	// {
	//   "items": [
	//     {
	//       "order_number": "4611686018427387905",
	//       "created_at": "2026-01-02T03:04:05.678Z",
	//       "paid_at": null
	//     }
	//   ],
	//   "page": 1,
	//   "page_size": 10,
	//   "partial": false
	// }
}
