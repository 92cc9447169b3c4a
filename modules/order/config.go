package order

import "cmp"

// DueConfig bounds the work of DueCanceller.
type DueConfig struct {
	// Page is how many orders one transaction cancels, 1 to 1000. Default 500.
	Page int
	// PagesPerRun bounds one run. Default 100.
	PagesPerRun int
}

func (c DueConfig) withDefaults() DueConfig {
	c.Page = cmp.Or(c.Page, 500)
	c.PagesPerRun = cmp.Or(c.PagesPerRun, 100)
	return c
}

// StockOutboxConfig bounds the work of StockOutbox.
type StockOutboxConfig struct {
	// PagesPerRun bounds one run. Default 100.
	PagesPerRun int
}

// outboxPage is the number of orders per call of a script.
const outboxPage = 500

func (c StockOutboxConfig) withDefaults() StockOutboxConfig {
	c.PagesPerRun = cmp.Or(c.PagesPerRun, 100)
	return c
}
