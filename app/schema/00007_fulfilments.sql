-- +goose Up
-- How far orders that are sent or picked up have come after they were paid. state: packed, shipped, delivered; an order
-- that nobody has packed has no row. Operators find orders by their label fulfilment, which has the state, too.
-- order_addresses has the addresses that an order had before its buyer changed them, as JSON; seq counts per order.
-- Locks: nothing: it makes tables.
CREATE TABLE IF NOT EXISTS fulfilments (
    order_number    BIGINT      NOT NULL PRIMARY KEY,
    state           VARCHAR(10) NOT NULL,
    packed_ms       BIGINT      NOT NULL,
    shipped_ms      BIGINT      NOT NULL,
    delivered_ms    BIGINT      NOT NULL,
    carrier         VARCHAR(64) NOT NULL,
    tracking_number VARCHAR(64) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS order_addresses (
    order_number BIGINT NOT NULL,
    seq          INT    NOT NULL,
    until_ms     BIGINT NOT NULL,
    address      TEXT   NOT NULL,
    PRIMARY KEY (order_number, seq)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE order_addresses;
DROP TABLE fulfilments;
