// Package admin has the operators' routes of payments and refunds. It shows payments and refunds, and clears the flags
// of payments; pay.Operations refunds orders and retries refunds.
package admin
