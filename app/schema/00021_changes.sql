-- +goose Up
-- What operators changed: each row is written in the transaction of the change. change_id begins with the time
-- (milliseconds), so that it is the paging key, and a span of time is a span of ids. before_value and after_value
-- are JSON, '' where there was or is nothing. Each statement may run again after a crash, as in 00011.
CREATE TABLE IF NOT EXISTS changes (
    change_id    BIGINT       NOT NULL PRIMARY KEY,
    at_ms        BIGINT       NOT NULL,
    actor        VARCHAR(64)  NOT NULL,
    client_ip    VARCHAR(45)  NOT NULL,
    action       VARCHAR(40)  NOT NULL,
    target       VARCHAR(120) NOT NULL,
    before_value MEDIUMTEXT   NOT NULL,
    after_value  MEDIUMTEXT   NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ changes_actor ON changes (actor, change_id);
CREATE INDEX /*M! IF NOT EXISTS */ changes_action ON changes (action, change_id);
CREATE INDEX /*M! IF NOT EXISTS */ changes_target ON changes (target, change_id);

-- Operators' notes on orders, oldest first by note_id, which begins with the time as change_id does.
CREATE TABLE IF NOT EXISTS order_notes (
    note_id      BIGINT        NOT NULL PRIMARY KEY,
    order_number BIGINT        NOT NULL,
    at_ms        BIGINT        NOT NULL,
    actor        VARCHAR(64)   NOT NULL,
    note         VARCHAR(1000) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ order_notes_order ON order_notes (order_number, note_id);

-- Filters of the operators' lists. Each ends with the paging key of its list.
CREATE INDEX /*M! IF NOT EXISTS */ skus_updated ON skus (updated_ms, sku_id);
CREATE INDEX /*M! IF NOT EXISTS */ activities_created ON activities (created_ms, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ activities_state_created ON activities (state, created_ms, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ orders_status_number ON orders (status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_shop_number ON orders (shop_id, number);

-- +goose Down
DROP INDEX orders_shop_number /*! ON orders */;
DROP INDEX orders_status_number /*! ON orders */;
DROP INDEX activities_state_created /*! ON activities */;
DROP INDEX activities_created /*! ON activities */;
DROP INDEX skus_updated /*! ON skus */;
DROP TABLE order_notes;
DROP TABLE changes;
