package tasks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onrush/modules/ids"
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

// selectTasks reads the orders of tasks, which are given without their MACs, with one statement.
func selectTasks(ctx context.Context, db *sqldb.DB, tasks []string) (found []stored, err error) {
	ranges := make([]string, 0, len(tasks))
	args := make([]any, 0, 2*len(tasks))
	for _, task := range tasks {
		ranges = append(ranges, `task_id >= ? AND task_id < ?`)
		from, to := ids.Range(task)
		args = append(args, from, to)
	}
	where := ` WHERE ` + strings.Join(ranges, ` OR `)
	query := `SELECT number, task_id, status, reason FROM orders` + where +
		` UNION ALL SELECT number, task_id, status, reason FROM orders_archive` + where
	if err := db.Read.SelectContext(ctx, &found, query, slices.Concat(args, args)...); err != nil {
		return nil, fmt.Errorf("select orders of %d tasks: %w", len(tasks), err)
	}
	return found, nil
}
