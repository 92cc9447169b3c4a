// Package tracing says to which request and to which trace work belongs: it keeps the id of a request in its context,
// adds both to the lines of the log, and begins the spans of OpenTelemetry.
//
// A nil *Tracer is a program without traces, which is the default: its methods return the context that they are given
// and allocate nothing. Package app/tracing makes a Tracer from the standard variables.
//
// An order that is placed in a sampled trace has its W3C context in its record (Parent). Later work on the order begins
// spans in that trace: Tracer.Follow for one order, Tracer.Join for a batch, whose own span has links to the orders'
// traces instead of a parent.
package tracing
