-- +goose Up
-- How often the gateway used a refund's number up; each time the refund is sent again under a new
-- one. waits_for says what a pending refund waits for: gateway, balance, or nothing.
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ renewed INT NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ waits_for VARCHAR(16) NOT NULL DEFAULT '';

-- Orders that are not unpaid any more and have payments: those payments are closed at their
-- gateways where none of their orders is unpaid. A row goes away once that is noted in payments.
CREATE TABLE IF NOT EXISTS payment_closes (
    order_number BIGINT NOT NULL PRIMARY KEY
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- When a payment was last asked about before its time was over; 0 where it was not.
ALTER TABLE payments ADD COLUMN /*M! IF NOT EXISTS */ asked_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX /*M! IF NOT EXISTS */ payments_channel ON payments (channel, status, ask_ms, asked_ms);

-- What gateways reported of a payment that nobody knows, and how often.
CREATE TABLE IF NOT EXISTS unknown_notifications (
    channel    VARCHAR(16)  NOT NULL,
    event      VARCHAR(128) NOT NULL,
    deliveries INT          NOT NULL,
    first_ms   BIGINT       NOT NULL,
    PRIMARY KEY (channel, event)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE unknown_notifications;
DROP INDEX payments_channel /*! ON payments */;
ALTER TABLE payments DROP COLUMN asked_ms;
DROP TABLE payment_closes;
ALTER TABLE refunds DROP COLUMN waits_for;
ALTER TABLE refunds DROP COLUMN renewed;
