-- +goose Up
-- Of what buyers want to be told. kind is start (of a sale) or units (of a sku that is sold out, or with sku_id '' of
-- any). notify_token is the platform's. told_ms: of units, when it was told; of a start, which start was told; 0: it
-- waits. Rows are deleted after the sale.
-- Locks: nothing: it makes a table.
CREATE TABLE IF NOT EXISTS reminders (
    reminder_id  VARCHAR(32)  NOT NULL PRIMARY KEY,
    activity_id  VARCHAR(64)  NOT NULL,
    kind         VARCHAR(10)  NOT NULL,
    sku_id       VARCHAR(64)  NOT NULL,
    user_id      VARCHAR(64)  NOT NULL,
    notify_token VARCHAR(128) NOT NULL,
    created_ms   BIGINT       NOT NULL,
    told_ms      BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ reminders_user ON reminders (user_id, activity_id, kind, sku_id);
CREATE INDEX /*M! IF NOT EXISTS */ reminders_due ON reminders (activity_id, kind, told_ms, sku_id, created_ms);

-- +goose Down
DROP TABLE reminders;
