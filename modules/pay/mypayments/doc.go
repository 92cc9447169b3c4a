// Package mypayments lists the payments of an order for the buyer who began them.
package mypayments
