package lua_test

import (
	"fmt"

	"onrush/lua"
)

func ExampleKeys() {
	keys := lua.Keys{Prefix: lua.DefaultPrefix}
	// The keys of lane 7 have one hash tag, so that a script can use them together on a cluster.
	fmt.Println(keys.Stock(7, "spring"))
	fmt.Println(keys.Queue(7))
	fmt.Println(keys.Sale("spring"))
	// Output:
	// onrush:{7}:stock:spring
	// onrush:{7}:lock_log
	// onrush:sale:spring
}

func ExampleParseHeld() {
	held, ok := lua.ParseHeld(lua.FormatHeld("lamp", "north", 2, "user:1"))
	fmt.Println(held.SKU, held.Point, held.Quantity, held.User, ok)
	// Output: lamp north 2 user:1 true
}
