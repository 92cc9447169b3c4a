// Package oidc signs operators in at an OpenID Connect provider, their issuer (OpenID Connect Core 1.0): the code flow
// with PKCE (RFC 7636), state and nonce.
//
//	browser                     this program                         issuer
//	GET /admin/login        ──▶ signed cookie: state, nonce, verifier
//	  ◀── redirect ──────────────────────────────────────────────▶  signs the operator in
//	GET …/login/callback    ──▶ compares the state
//	                            code, verifier                  ──▶
//	                            verifies the ID token           ◀── ID token
//	  ◀── session cookie, redirect to the console
//
// The cookie of a session has a key of package apikey, which expires and which signing out revokes, so every instance
// knows the session, and no script can read it. The tokens of the issuer are not kept.
package oidc
