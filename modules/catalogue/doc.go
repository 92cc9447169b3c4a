// Package catalogue has what a shop sells and where it is sent: skus with their ordinary stock and
// freight, stock points, the buyers' addresses, and how goods are delivered.
//
// The hot path reads skus and points from copies that are at most a second old (sqldb.StaleCache).
package catalogue
