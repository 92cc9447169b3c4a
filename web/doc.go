// Package web is the HTTP server that all routes use. It knows nothing of sales and orders:
//
//	request ── serve ──▶ Require ──▶ handler: Bind, Query, ParsePage, … ──▶ a service
//	             │                                                            │
//	answer  ◀────┴── problem+json ◀── *problem.Error, or any other error ◀────────────┘
//
// NewApp makes the server with its limits; serve, the middleware of every route, gives each request an id
// and a deadline, and turns errors and panics into problems. Callers see a problem.Error; any other
// error is "internal" to callers and is written to the log.
//
// openapi.yaml describes all routes of the program; Docs serves it and a page that renders it.
package web
