package problem_test

import (
	"errors"
	"fmt"

	"onrush/modules/problem"
)

func ExampleChecks() {
	var checks problem.Checks
	checks.Text("title", "", 1, 120)
	checks.Between("quantity", 500, 1, 99)
	var err *problem.Error
	if errors.As(checks.Err(), &err) {
		fmt.Println(err.Code, err.Status())
		for _, field := range err.Fields {
			fmt.Println(field.Name, field.Detail)
		}
	}
	// Output:
	// invalid_request 422
	// title is required
	// quantity must be from 1 to 99
}

func ExampleUnavailable() {
	cause := errors.New("connection refused")
	err := fmt.Errorf("place: %w", problem.Unavailable(cause, "The order can't be placed right now."))
	fmt.Println(problem.CodeOf(err))
	fmt.Println(errors.Is(err, cause))
	// Output:
	// unavailable
	// true
}
