-- +goose Up
-- Sales whose buyers are drawn: mode is 'draw'. Other sales have ''.
-- draws has a row for each such sale, from its publishing on. secret decides the order of its entries; it must not be
-- shown. entered is how many entries it has, listed how many of them were put into the waiting list. closed_ms is when
-- the entries were closed; 0: buyers may enter.
-- draw_entries has an entry for each buyer and sku; lot is its place in the order. listed is 1 once the waiting list
-- has it, or never will. drawn_ms is when units were offered to its buyer; 0: not yet. Without a user_id, its buyer has
-- left, or was erased, after the entries were closed. choice is the delivery that the buyer chose, as JSON.
-- Locks: nothing for long: adds a column to activities, which is small, and makes two tables.
ALTER TABLE activities ADD COLUMN mode VARCHAR(16) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
CREATE TABLE IF NOT EXISTS draws (
    activity_id VARCHAR(64) NOT NULL,
    secret      VARCHAR(64) NOT NULL,
    entered     BIGINT      NOT NULL,
    listed      BIGINT      NOT NULL,
    closed_ms   BIGINT      NOT NULL,
    PRIMARY KEY (activity_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS draw_entries (
    activity_id VARCHAR(64) NOT NULL,
    sku_id      VARCHAR(64) NOT NULL,
    lot         VARCHAR(32) NOT NULL,
    entry_id    VARCHAR(32) NOT NULL,
    user_id     VARCHAR(64) NOT NULL,
    point_id    VARCHAR(64) NOT NULL,
    quantity    BIGINT      NOT NULL,
    choice      TEXT        NOT NULL,
    entered_ms  BIGINT      NOT NULL,
    listed      BIGINT      NOT NULL,
    drawn_ms    BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, sku_id, lot)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ draw_entries_next ON draw_entries (activity_id, sku_id, point_id, listed, lot);
CREATE INDEX /*M! IF NOT EXISTS */ draw_entries_user ON draw_entries (user_id, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ draw_entries_drawn ON draw_entries (activity_id, drawn_ms);

-- +goose Down
DROP TABLE draw_entries;
DROP TABLE draws;
ALTER TABLE activities DROP COLUMN mode;
