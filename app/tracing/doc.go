// Package tracing makes the Tracer of the program from the standard variables of OpenTelemetry, and the spans of calls
// to the stores. Without the variables it makes nothing, and the stores are opened as ever.
package tracing
