package drill

import "io"

// HTML writes a report as one page that needs no network.
func (r *Report) HTML(out io.Writer) error { _, err := io.WriteString(out, ""); return err }
