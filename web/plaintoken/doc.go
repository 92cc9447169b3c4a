// Package plaintoken verifies the tokens of new buyers. In a flash sale everybody is new in the same second, so the
// first verification of a token is as frequent as any request. A plain token is verified in one pass without
// reflection: an HS256 token of a buyer whose header is one that the library has accepted before, and whose claims are
// a flat object. Every other token, and each that is refused, is left to the library: a Verifier only says yes, and
// only where the library would.
package plaintoken
