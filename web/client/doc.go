// Package client has the requests and answers of the HTTP interface as types, generated from web/openapi.yaml, and a
// Request to send them. Code that reads a field which the file no longer has doesn't compile. The command line, drills
// and tests use them.
//
// test/client/testdata has the clients that .ci/clients builds and runs.
package client

//go:generate -command oapi-codegen go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
//go:generate oapi-codegen -config codegen.yaml ../openapi.yaml
