//go:build large

package faults

func init() { ordersAfterDump = 10_000 }
