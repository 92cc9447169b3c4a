// Package catalogue manages skus with their ordinary stock and freight, stock points, the buyers'
// addresses, and the delivery of goods.
//
// The hot path reads skus and points from copies that are at most a second old (aged.Keyed).
package catalogue
