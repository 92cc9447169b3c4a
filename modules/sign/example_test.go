package sign_test

import (
	"fmt"

	"onrush/modules/sign"
)

// An order path is signed for its user. After a change of the secret, older paths are still accepted.
func ExampleKeys() {
	old := sign.NewKeys("path", sign.Secrets{"the old secret"})
	sum := old.Sign("ada", "spring/lamp")
	changed := sign.NewKeys("path", sign.Secrets{"the new secret", "the old secret"})
	fmt.Println(changed.Accepts(sum[:], "ada", "spring/lamp"))
	fmt.Println(changed.Accepts(sum[:], "bob", "spring/lamp"))
	fmt.Println(sign.NewKeys("task", sign.Secrets{"the old secret"}).Accepts(sum[:], "ada", "spring/lamp"))
	// Output:
	// true
	// false
	// false
}

// The parts are kept apart, so that no other parts have the same digest.
func ExampleDigest() {
	fmt.Println(sign.Digest(16, "ada", "key1"))
	fmt.Println(sign.Digest(12, "a", "bc") == sign.Digest(12, "ab", "c"))
	// Output:
	// LeN-00nfvX57q9xz6mPv8w
	// false
}
