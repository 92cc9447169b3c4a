package fulfilment

import (
	"context"
	"errors"

	"onrush/modules/idempotency"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sheet"
)

const (
	// MaxFileBytes bounds a file of marks: a row of the file of orders takes 300 to 400 bytes without a long remark.
	MaxFileBytes = 1 << 20
	// maxFileRows is how many orders a file may have: each has a transaction of its own.
	maxFileRows = 1000
	// The longest texts of a parcel, as their columns have them.
	maxCarrier, maxTrackingNumber = 64, 64
)

// The columns of a file. Other columns are ignored, so the file of orders, with these columns filled in, is one.
const (
	columnOrder    = "order_number"
	columnState    = "fulfilment"
	columnCarrier  = "carrier"
	columnTracking = "tracking_number"
)

// MarkedFile says what became of the rows of a file.
type MarkedFile struct {
	Items  []MarkedRow `json:"items"` // in the order of the file
	Marked int         `json:"marked"`
	Failed int         `json:"failed"`
}

// MarkedRow is what became of a row: the state of its order, or why it was refused.
type MarkedRow struct {
	Line  int                   `json:"line"` // of the file, from 1
	Order order.Number          `json:"order_number,omitzero"`
	State order.FulfilmentState `json:"state,omitempty"`
	Error *RowError             `json:"error,omitempty"`
}

// RowError says why a row was refused.
type RowError struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// MarkFile marks the orders of a file of comma-separated values, each row in a transaction of its own: a row that is
// refused doesn't keep back the others. Without a fulfilment a row is of a shipped order, and so is a packed one with a
// carrier: that is a packed order's row of the file of orders, filled in. Only the first row of an order counts. A
// second try of the same file changes nothing. The file is to be sent again if a row was unavailable, so the answer is
// not kept under an Idempotency-Key then. The error is invalid_request for a text that is no such file.
func (m *Marker) MarkFile(ctx context.Context, by order.LogLine, file string) (*MarkedFile, error) {
	rows, err := sheet.ReadRows(file, columnOrder, maxFileRows)
	if err != nil {
		return nil, problem.Errorf(problem.CodeInvalidRequest, "The file %s.", err)
	}
	answer := &MarkedFile{Items: make([]MarkedRow, len(rows))}
	seen := map[order.Number]bool{}
	for i, row := range rows {
		item := &answer.Items[i]
		item.Line = row.Line
		n, mark, err := markOf(row)
		item.Order = n
		if seen[n] {
			err = problem.Invalid(columnOrder, "is twice in this file")
		}
		seen[n] = n != 0
		if err == nil {
			err = m.Mark(ctx, n, by, mark, nil)
		}
		if err != nil {
			item.Error = rowError(err)
			answer.Failed++
			if item.Error.Code == problem.CodeUnavailable.Name {
				idempotency.Drop(ctx)
			}
			continue
		}
		item.State = mark.State
		answer.Marked++
	}
	return answer, nil
}

// markOf reads a row.
func markOf(row sheet.Row) (n order.Number, mark Mark, err error) {
	if row.Err != nil {
		return 0, mark, problem.Invalid("line", "%s", row.Err)
	}
	if err := sheet.CheckCell(row.Cells[columnOrder]); err != nil {
		return 0, mark, problem.Invalid(columnOrder, "%s", err)
	}
	if n, err = order.ParseNumber(row.Cells[columnOrder]); err != nil {
		return 0, mark, problem.Invalid(columnOrder, "is no number of an order")
	}
	mark = Mark{
		State: order.FulfilmentState(row.Cells[columnState]), Carrier: row.Cells[columnCarrier],
		TrackingNumber: row.Cells[columnTracking], Row: true,
	}
	named := mark.Carrier != "" || mark.TrackingNumber != ""
	if mark.State == "" || mark.State == order.Packed && named {
		mark.State = order.Shipped
	}
	switch mark.State {
	case order.Packed, order.Delivered:
	case order.Shipped:
		err = mark.checkParcel()
	default:
		err = problem.Invalid(columnState, "must be packed, shipped or delivered")
	}
	return n, mark, err
}

// checkParcel checks what a file says of a parcel, as the tags of a request do.
func (m *Mark) checkParcel() error {
	switch {
	case m.Carrier == "" || len([]rune(m.Carrier)) > maxCarrier || !problem.IsLine(m.Carrier):
		return problem.Invalid(columnCarrier, "must have 1 to %d characters", maxCarrier)
	case len(m.TrackingNumber) > maxTrackingNumber || !problem.IsVisible(m.TrackingNumber):
		return problem.Invalid(columnTracking, "must have at most %d characters, visible ones of ASCII only",
			maxTrackingNumber)
	}
	if err := sheet.CheckCell(m.TrackingNumber); err != nil {
		return problem.Invalid(columnTracking, "%s", err)
	}
	return nil
}

// rowError returns what a row says of an error: of an invalid one, which cell.
func rowError(err error) *RowError {
	refused, ok := errors.AsType[*problem.Error](err)
	if !ok {
		refused = problem.Unavailable(err, "The order can't be marked right now; send the file again.")
	}
	e := &RowError{Code: refused.Code.Name, Detail: refused.Detail}
	if len(refused.Fields) > 0 {
		e.Detail = refused.Fields[0].Name + " " + refused.Fields[0].Detail
	}
	return e
}
