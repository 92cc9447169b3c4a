// The generator reads a load.Plan as JSON from standard input, carries it out, and prints its load.Result as
// JSON. The plan bounds its time, so it does not outlive the test that started it by much.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"onrush/test/load"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var plan load.Plan
	if err := json.NewDecoder(in).Decode(&plan); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	result, err := load.Run(ctx, &plan, rand.Uint64())
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}
