// Package remote is a payment gateway that a shop writes in any language: the program calls four routes of the shop's,
// and the shop reports at /webhooks/pay/{name}. Calls and reports are signed as Standard Webhooks
// (https://www.standardwebhooks.com). docs/shop/payments.md describes both sides, and web/openapi.yaml has their
// shapes.
package remote
