// Package admin shows operators the stored orders, with users and complete logs.
package admin
