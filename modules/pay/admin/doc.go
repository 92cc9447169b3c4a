// Package admin has the operators' routes of payments and refunds. It shows them, and lets operators clear the flags of
// payments; pay.Operations refunds orders and retries refunds.
package admin
