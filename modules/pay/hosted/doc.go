// Package hosted makes a payment channel of a gateway that somebody else wrote: the program that Onrush is a module of,
// or a shop that answers over HTTP. Nothing that such a gateway does harms more than its own channel: a call that
// panics or doesn't return ends as unavailable, calls under way are bounded, and no answer is used that a store would
// refuse or that says nothing.
package hosted
