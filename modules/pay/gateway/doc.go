// Package gateway has the code that the packages of the payment gateways share: an HTTP client with bounds,
// checks of addresses and ages, keys and RSA signatures, and the rules of payments in yuan.
package gateway
