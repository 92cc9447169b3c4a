package api

// Scope is what an operator may do. A key has one; a token with the role admin has ScopeAdmin.
type Scope string

// The scopes. app/server/routes.go says which routes each of them may call.
const (
	ScopeAdmin     Scope = "admin"     // everything
	ScopeTill      Scope = "till"      // redeem vouchers
	ScopeSupport   Scope = "support"   // orders, payments and refunds
	ScopeCatalogue Scope = "catalogue" // goods, stock points, sales and their stock
	ScopeRead      Scope = "read"      // reads without buyers' data
	ScopeEvents    Scope = "events"    // the feed and its endpoints
	ScopePayments  Scope = "payments"  // what a shop's own checkout does: holds, payments, reports of refunds
)

// KeyPrefix begins each key: it distinguishes keys from JWTs, and scanners for secrets find it.
const KeyPrefix = "onrush_"

// KeyActor begins the name under which a key acts; the key's name follows.
const KeyActor = "key:"

// Pseudonym begins the pseudonyms of buyers who were erased. No token has such a user.
const Pseudonym = "erased-"
