// Package sandbox is a payment gateway inside the program, for development and tests. Its page makes
// payments succeed, fail, arrive twice, late or wrong. Notifications are signed according to Standard Webhooks
// (github.com/standard-webhooks/standard-webhooks).
package sandbox
