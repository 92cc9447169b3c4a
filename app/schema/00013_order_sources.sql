-- +goose Up
-- What operators add up of orders that name a room, a share code, a share source or an inviter, which are '' where an
-- order lacks them. paid is 1 once the order was paid, also after refunds. Other orders have no row.
-- Locks: nothing: it makes a table.
CREATE TABLE IF NOT EXISTS order_sources (
    number          BIGINT      NOT NULL PRIMARY KEY,
    room_id         VARCHAR(64) NOT NULL,
    share_code      VARCHAR(64) NOT NULL,
    share_source    VARCHAR(64) NOT NULL,
    inviter_id      VARCHAR(64) NOT NULL,
    shop_id         VARCHAR(64) NOT NULL,
    activity_id     VARCHAR(64) NOT NULL,
    currency        VARCHAR(3)  NOT NULL,
    total_amount    BIGINT      NOT NULL,
    paid            SMALLINT    NOT NULL,
    refunded_amount BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE order_sources;
