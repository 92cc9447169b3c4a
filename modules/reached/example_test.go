package reached_test

import (
	"fmt"

	"onrush/modules/reached"
)

var secondTry = reached.At("example: the first try failed")

func ExampleAt() {
	const tries = 2
	for try := range tries {
		if try > 0 {
			secondTry.Mark()
		}
	}
	fmt.Println(reached.Counts()["example: the first try failed"])
	// Output: 1
}
