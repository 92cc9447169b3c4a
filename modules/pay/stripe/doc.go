// Package stripe takes payments through Stripe's PaymentIntents. Sources: docs.stripe.com/api and
// docs.stripe.com/webhooks.
package stripe
