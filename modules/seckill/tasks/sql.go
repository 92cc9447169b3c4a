package tasks

import (
	"context"
	"fmt"
	"slices"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// stored is what SQL has of the order of a task.
type stored struct {
	Number order.Number `db:"number"`
	Task   string       `db:"task_id"`
	Status order.Status `db:"status"`
	Reason string       `db:"reason"`
}

// columns are the columns of stored.
const columns = `number, task_id, status, reason`

// state returns the state of the task.
func (s *stored) state() State {
	if s.Status == order.Failed {
		return State{Number: s.Number, State: lua.TaskFailed, Reason: s.Reason}
	}
	return State{Number: s.Number, State: lua.TaskStored}
}

// selectTasks reads the orders of tasks with one statement.
func selectTasks(ctx context.Context, db *sqldb.DB, tasks []string) (found []stored, err error) {
	where, args := ` WHERE task_id IN (`+sqldb.In(len(tasks))+`)`, sqldb.Args(tasks)
	query := `SELECT ` + columns + ` FROM orders` + where +
		` UNION ALL SELECT ` + columns + ` FROM orders_archive` + where
	if err := db.Read.SelectContext(ctx, &found, query, slices.Concat(args, args)...); err != nil {
		return nil, fmt.Errorf("select orders of %d tasks: %w", len(tasks), err)
	}
	return found, nil
}
