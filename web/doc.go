// Package web is the floor that every route stands on, and it knows no module:
//
//	request ── serve ──▶ Require ──▶ handler: Bind, Query, ParsePage, … ──▶ a service
//	             │                                                            │
//	answer  ◀────┴── problem+json ◀── *Error, or an error nobody foresaw ◀────┘
//
// NewApp makes the server with its limits; serve, its only middleware, gives each request an id
// and a deadline, and turns errors and panics into problems. What a caller shall know of an error
// is in an Error; any other error is "internal" to callers, and stands in the log.
//
// openapi.yaml describes all routes of the program; Docs serves it, with a page that shows it.
package web
