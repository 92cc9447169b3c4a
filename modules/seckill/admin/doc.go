// Package admin has what operators do with flash sales: they draft an activity, publish it, take it offline,
// and watch its figures.
package admin
