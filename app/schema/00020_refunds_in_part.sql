-- +goose Up
-- What of an order and of its items was refunded; refunds raise both by compare-and-set.
ALTER TABLE orders ADD COLUMN /*M! IF NOT EXISTS */ refunded_amount BIGINT NOT NULL DEFAULT 0;
ALTER TABLE order_items ADD COLUMN /*M! IF NOT EXISTS */ refunded_quantity BIGINT NOT NULL DEFAULT 0;

-- An order may have several refunds of one transaction; part counts them from 0. An older version inserts
-- part 0 only, so it still refunds an order once. who and note say who asked for a refund, and why.
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ part INT NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ who VARCHAR(80) NOT NULL DEFAULT '';
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ note VARCHAR(200) NOT NULL DEFAULT '';
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ refunds_part ON refunds (channel, transaction_id, order_number, part);
DROP INDEX /*M! IF EXISTS */ refunds_once /*! ON refunds */;

-- The units that a refund names.
CREATE TABLE IF NOT EXISTS refund_items (
    refund_number BIGINT NOT NULL,
    line          INT    NOT NULL,
    sku_id        VARCHAR(32) NOT NULL,
    quantity      BIGINT NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (refund_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The Idempotency-Keys of operators' refunds, with the digest of the body. refund_number is 0 for a request
-- that refunds many orders.
CREATE TABLE IF NOT EXISTS refund_keys (
    task_id       VARCHAR(100) NOT NULL PRIMARY KEY,
    digest        VARCHAR(32)  NOT NULL,
    refund_number BIGINT       NOT NULL,
    created_ms    BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Operators list payments and refunds by these, newest first.
CREATE INDEX /*M! IF NOT EXISTS */ payments_status ON payments (status, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ payments_by_channel ON payments (channel, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_status ON refunds (status, refund_number);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_by_channel ON refunds (channel, refund_number);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_order ON refunds (order_number, refund_number);

-- Which flag an operator cleared, who, and why.
ALTER TABLE payment_events ADD COLUMN /*M! IF NOT EXISTS */ flag VARCHAR(32) NOT NULL DEFAULT '';
ALTER TABLE payment_events ADD COLUMN /*M! IF NOT EXISTS */ who VARCHAR(80) NOT NULL DEFAULT '';
ALTER TABLE payment_events ADD COLUMN /*M! IF NOT EXISTS */ note VARCHAR(300) NOT NULL DEFAULT '';

-- Status redeemed: when, where and by whom a code was used.
ALTER TABLE vouchers ADD COLUMN /*M! IF NOT EXISTS */ redeemed_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE vouchers ADD COLUMN /*M! IF NOT EXISTS */ redeemed_by VARCHAR(80) NOT NULL DEFAULT '';
ALTER TABLE vouchers ADD COLUMN /*M! IF NOT EXISTS */ redeemed_where VARCHAR(100) NOT NULL DEFAULT '';

-- +goose Down
-- Fails, and changes nothing, where an order has several refunds: an older version can't hold them.
CREATE UNIQUE INDEX refunds_once ON refunds (channel, transaction_id, order_number);
ALTER TABLE vouchers DROP COLUMN redeemed_where;
ALTER TABLE vouchers DROP COLUMN redeemed_by;
ALTER TABLE vouchers DROP COLUMN redeemed_ms;
ALTER TABLE payment_events DROP COLUMN note;
ALTER TABLE payment_events DROP COLUMN who;
ALTER TABLE payment_events DROP COLUMN flag;
DROP INDEX refunds_order /*! ON refunds */;
DROP INDEX refunds_by_channel /*! ON refunds */;
DROP INDEX refunds_status /*! ON refunds */;
DROP INDEX payments_by_channel /*! ON payments */;
DROP INDEX payments_status /*! ON payments */;
DROP TABLE refund_keys;
DROP TABLE refund_items;
DROP INDEX refunds_part /*! ON refunds */;
ALTER TABLE refunds DROP COLUMN note;
ALTER TABLE refunds DROP COLUMN who;
ALTER TABLE refunds DROP COLUMN part;
ALTER TABLE order_items DROP COLUMN refunded_quantity;
ALTER TABLE orders DROP COLUMN refunded_amount;
