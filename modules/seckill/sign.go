package seckill

import "onrush/modules/sign"

// signer signs texts for clients and verifies them when clients send them back.
type signer struct{ path, task, confirmation sign.Keys }

// newSigner returns a signer that signs with secret, and also accepts signatures of previous, which may be
// empty.
func newSigner(secret, previous []byte) signer {
	return signer{
		path:         sign.NewKeys("path", secret, previous),
		task:         sign.NewKeys("task", secret, previous),
		confirmation: sign.NewKeys("confirmation", secret, previous),
	}
}
