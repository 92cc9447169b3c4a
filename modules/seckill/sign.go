package seckill

import "onrush/modules/sign"

// signer signs texts for clients and verifies them when clients send them back.
type signer struct{ path, task, confirmation sign.Keys }

func newSigner(s sign.Secrets) signer {
	return signer{
		path:         sign.NewKeys("path", s),
		task:         sign.NewKeys("task", s),
		confirmation: sign.NewKeys("confirmation", s),
	}
}
