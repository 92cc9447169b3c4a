// Package web is the HTTP server below every route. It imports no module:
//
//	request ── serve ──▶ Require ──▶ handler: Bind, Query, ParsePage, … ──▶ a service
//	             │                                                            │
//	answer  ◀────┴── problem+json ◀── *problem.Error, or any other error ◀────────────┘
//
// NewApp makes the server with its limits; serve, its only middleware, gives each request an id
// and a deadline, and turns errors and panics into problems. What a caller shall know of an error
// is in a problem.Error; any other error is "internal" to callers and goes to the log.
//
// openapi.yaml describes all routes of the program; Docs serves it, with a page that shows it.
package web
