// Package admin shows operators payments and refunds, and lets them clear the flags of payments.
package admin
