package api

import (
	"github.com/mailru/easyjson/buffer"
	"github.com/mailru/easyjson/jwriter"
)

// NewWriter returns a writer for the generated MarshalEasyJSON of a type. Longer JSON than size bytes is written too,
// but takes several allocations instead of one.
func NewWriter(size int) jwriter.Writer {
	return jwriter.Writer{Buffer: buffer.Buffer{Buf: make([]byte, 0, size)}}
}
